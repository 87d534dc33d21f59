// SPDX-License-Identifier: GPL-3.0-or-later
/// Passes any bytes of a board to the host's end of the link. Events are returned once and in order, and answers are
/// returned only for pending requests.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "common/rigproto/codec.hpp"
#include "host/rig/serial/host_link.hpp"
#include "tests/fuzz/rig_script.hpp"

using namespace mediarig;

namespace {

constexpr std::uint16_t session = 3;

class Watcher {
public:
    void look(rig::HostLink& link, bool asked) {
        while (const auto event = link.take_event()) {
            if (event->head.id == 0) continue;
            if (last_ != 0 && event->head.id != last_ + 1) std::abort();
            last_ = event->head.id;
            if (last_ % 2 == 0) link.acknowledge(last_);
        }
        if (link.take_answer() && !asked) std::abort();
        (void)link.take_stopped();
        rigproto::Decoder decoder;
        for (const std::uint8_t byte : link.take_output()) {
            const auto outcome = decoder.feed(byte);
            if (outcome != rigproto::Decoder::Outcome::more && outcome != rigproto::Decoder::Outcome::frame)
                std::abort();
        }
    }

private:
    std::uint32_t last_{};
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Script script({data, size});
    rig::HostLink link(session);
    rig::HostLink::Clock::time_point now{};
    Watcher watcher;
    link.ask(rigproto::Op::hello, rigproto::HelloRequest{}, now);
    while (!script.ended()) {
        bool asked = link.pending();
        switch (script.byte() % 6) {
            case 0:
                link.feed(script.piece());
                break;
            case 1: {
                const auto encoded = rigproto::encode(script.frame());
                link.feed(encoded.span());
                break;
            }
            case 2: { // a frame of this session, so that it is accepted
                auto frame = script.frame();
                frame.session = session;
                const auto encoded = rigproto::encode(frame);
                link.feed(encoded.span());
                break;
            }
            case 3:
                now += std::chrono::milliseconds(script.byte());
                link.tick(now);
                break;
            case 4:
                if (!link.pending() && !link.lost()) {
                    link.ask(rigproto::Op::port_status, rigproto::PortRequest{script.byte()}, now);
                    asked = true;
                }
                break;
            default:
                link.stop();
        }
        watcher.look(link, asked);
    }
    return 0;
}

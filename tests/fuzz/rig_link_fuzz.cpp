// SPDX-License-Identifier: GPL-3.0-or-later
/// Passes any bytes, frames, silence and resets, in any order, to the board's end of the link over a machine that only
/// counts. The link must not crash, sends only complete frames, begins no job twice, and begins no job without lease
/// and configuration.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>

#include "tests/common/rigproto/board_fixture.hpp"
#include "tests/fuzz/rig_script.hpp"

using namespace mediarig;
using namespace mediarig::tests;

namespace {

class Watcher {
public:
    void look(Board& board) {
        for (const auto& command : board.machine().begun) {
            if (!jobs_.insert(firmware::job_of(command)).second) std::abort();
            if (board.parts->link.lease() == firmware::Lease::Phase::none) std::abort();
        }
        board.machine().begun.clear();
        if (board.events().ring().waiting() > rigproto::kept_events) std::abort();
        for (const HostInterface carrier : {HostInterface::usb, HostInterface::uart})
            for (const std::uint8_t byte : board.bytes(carrier))
                switch (decoders_[static_cast<std::size_t>(carrier)].feed(byte)) {
                    case rigproto::Decoder::Outcome::more:
                    case rigproto::Decoder::Outcome::frame:
                        break;
                    default:
                        std::abort();
                }
    }

private:
    std::set<std::uint32_t> jobs_; ///< over all resets
    std::array<rigproto::Decoder, firmware::carrier_count> decoders_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Script script({data, size});
    Board board;
    Watcher watcher;
    Caller host(board, 1);
    while (!script.ended()) {
        const std::uint8_t what = script.byte();
        const HostInterface carrier = (what & 0x80) != 0 ? HostInterface::uart : HostInterface::usb;
        switch (what & 7) {
            case 0:
                board.receive(script.piece(), carrier);
                break;
            case 1:
            case 2:
                board.receive(script.frame(), carrier);
                break;
            case 3: { // a request in sequence, in the current session
                auto frame = script.frame();
                frame.kind = rigproto::Kind::request;
                frame.session = host.session;
                frame.seq = ++host.seq;
                board.receive(frame);
                break;
            }
            case 4:
                board.run(1000U * script.byte());
                break;
            case 5: { // a HELLO that continues the session: no other HELLO is accepted during the lease
                const std::uint16_t before = host.session;
                host = Caller(board, static_cast<std::uint16_t>(before + 1));
                board.receive(host.frame(rigproto::Op::hello, rigproto::HelloRequest{.previous = before}));
                board.receive(host.frame(rigproto::Op::config, rigproto::simulated_rig(8, 2)));
                break;
            }
            case 6:
                board.events().fault({rigproto::Fault::jam, script.byte()}, board.now_us);
                break;
            default:
                watcher.look(board);
                board.reset(static_cast<rigproto::ResetReason>(script.byte() % 4));
        }
        watcher.look(board);
    }
    return 0;
}

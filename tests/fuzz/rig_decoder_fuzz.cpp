// SPDX-License-Identifier: GPL-3.0-or-later
/// Decodes any bytes as frames of the rig's protocol, and as the payload of every message. A second round adds a
/// correct checksum, which a fuzzer cannot guess.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "common/rigproto/codec.hpp"
#include "common/rigproto/wire.hpp"

using namespace mediarig::rigproto;

namespace {

/// A decoded message is encoded to the same bytes.
template <class Message>
void read(std::span<const std::uint8_t> payload) {
    const auto message = decode<Message>(payload);
    if (!message) return;
    Frame again;
    append(again, *message);
    for (std::size_t i = 0; i < again.size && i < payload.size(); ++i)
        if (again.bytes[i] != payload[i]) std::abort();
}

template <class... Messages>
void read_as(std::span<const std::uint8_t> payload) {
    (read<Messages>(payload), ...);
}

void feed(Decoder& decoder, std::span<const std::uint8_t> bytes) {
    for (const std::uint8_t byte : bytes) {
        if (decoder.feed(byte) != Decoder::Outcome::frame) continue;
        const Frame& frame = decoder.frame();
        if (frame.size > max_payload || frame.kind > last_kind) std::abort();
        read_as<HelloRequest, HeartbeatRequest, JobStatusRequest, PortRequest, HomeRequest, LoadRequest, UnloadRequest,
                PowerRequest, ClearRequest, JogRequest, ParkRequest, GuardRequest, BootloaderRequest, Config,
                StatusReply, HelloReply, JobStatusReply, ClockReply, ConfigReply, PortStatusReply, CountersReply,
                EventHead, ResetEvent, JobEvent, CardEvent, PortEvent, FaultEvent, EventAck>(frame.payload());
        // A decoded frame is equal after encoding and decoding again.
        Decoder other;
        auto outcome = Decoder::Outcome::more;
        const auto encoded = encode(frame);
        for (const std::uint8_t again : encoded.span()) outcome = other.feed(again);
        if (outcome != Decoder::Outcome::frame || !(other.frame() == frame)) std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Decoder decoder;
    feed(decoder, {data, size});
    const std::array<std::uint8_t, 1> end{};
    feed(decoder, end);

    Frame frame{.kind = Kind::response, .session = 1};
    for (std::size_t i = 0; i < size && i < max_payload; ++i) frame.bytes[frame.size++] = data[i];
    const auto encoded = encode(frame);
    feed(decoder, encoded.span());
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
/// Talks to a board frame by frame, including frames that our host never sends.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/rigproto/codec.hpp"
#include "common/rigproto/wire.hpp"
#include "host/rig/serial/open_line.hpp"

namespace mediarig::rig {

class Wire {
public:
    /// Throws if the port cannot be opened within ten seconds.
    explicit Wire(const std::string& path);

    void send(const rigproto::Frame& frame);
    void send_raw(std::span<const std::uint8_t> bytes);
    /// Returns the next matching frame and drops the others. Empty after `within`.
    template <class Fits>
    std::optional<rigproto::Frame> next(Fits fits, std::chrono::milliseconds within = std::chrono::seconds(10)) {
        const auto until = std::chrono::steady_clock::now() + within;
        while (auto frame = any(until))
            if (fits(*frame)) return frame;
        return std::nullopt;
    }

    /// Returns a request in the session with the next number.
    rigproto::Frame request(rigproto::Op op, std::vector<std::uint8_t> payload = {});
    template <class Message>
    rigproto::Frame request_of(rigproto::Op op, const Message& message) {
        rigproto::Frame frame = request(op);
        rigproto::append(frame, message);
        return frame;
    }
    /// Sends the request, repeats it like a host, and returns the answer.
    std::optional<rigproto::Frame> ask(const rigproto::Frame& frame);
    /// Returns the status at the start of the answer.
    rigproto::Rejection verdict(const rigproto::Frame& frame);
    template <class Reply>
    std::optional<Reply> reply(const rigproto::Frame& frame) {
        const auto answer = ask(frame);
        if (!answer || answer->size == 0 || answer->bytes[0] != 0) return std::nullopt;
        return rigproto::decode<Reply>(answer->payload().subspan(1));
    }

    /// HELLO with a new nonce.
    std::optional<rigproto::HelloReply> hello(std::uint8_t major = rigproto::protocol_major);
    /// HELLO and the configuration: ready for jobs.
    void introduce(const rigproto::Config& config);
    void acknowledge(std::uint32_t event);
    /// Waits until the job has ended. Returns its fault. Acknowledges all events.
    rigproto::Fault finish(std::uint32_t job, std::chrono::milliseconds within = std::chrono::minutes(4));

    std::uint16_t session{};
    std::uint8_t seq{};

private:
    std::optional<rigproto::Frame> any(std::chrono::steady_clock::time_point until);

    SerialPort line_;
    rigproto::Decoder decoder_;
    std::vector<std::uint8_t> heard_;
    std::size_t used_{};
    std::uint32_t newest_event_{};
    std::uint16_t previous_{}; ///< the last session accepted by the board
};

} // namespace mediarig::rig

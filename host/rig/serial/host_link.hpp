// SPDX-License-Identifier: GPL-3.0-or-later
/// Host side of a session with a board: repeats unanswered requests, ignores stale frames, restores the order of
/// events. Pure: bytes and time are parameters, bytes are returned.
///
/// A session begins with HELLO under a new nonce; after `lost()` only a new session can continue.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "common/rigproto/codec.hpp"
#include "common/rigproto/messages.hpp"
#include "common/rigproto/wire.hpp"

namespace mediarig::rig {

/// A board answers in about a millisecond: after this time the frame was lost.
inline constexpr std::chrono::milliseconds answer_within{150};
inline constexpr unsigned tries = 3;

/// The board's answer to the pending request.
struct Answer {
    rigproto::Rejection rejection;
    std::vector<std::uint8_t> payload; ///< bytes after the Reject byte; empty if rejected
};

/// An event of the board. Id 0: progress, sent once and not stored.
struct BoardEvent {
    rigproto::EventKind kind{};
    rigproto::EventHead head;
    std::vector<std::uint8_t> payload; ///< complete, including the event head
};

class HostLink {
public:
    using Clock = std::chrono::steady_clock;

    /// `nonce` is not 0 and differs from the last four that this board received.
    explicit HostLink(std::uint16_t nonce) : nonce_(nonce) {}

    /// Call only while no request is pending and the link is not lost.
    void ask(rigproto::Op op, std::span<const std::uint8_t> payload, Clock::time_point now);
    template <class Message>
    requires(!std::convertible_to<const Message&, std::span<const std::uint8_t>>) void ask(rigproto::Op op,
                                                                                           const Message& message,
                                                                                           Clock::time_point now);
    [[nodiscard]] bool pending() const { return request_.has_value(); }

    /// Returns the bytes that end the session, for a line that is closed next; the answer is not awaited.
    [[nodiscard]] std::vector<std::uint8_t> bye();
    /// Sends STOP, which needs no session and does not wait for a pending request.
    void stop();
    /// Acknowledges this event and all before it: they are stored durably.
    void acknowledge(std::uint32_t event);

    void feed(std::span<const std::uint8_t> bytes);
    /// Repeats the request or marks the link as lost when due.
    void tick(Clock::time_point now);
    /// Time at which tick() is due.
    [[nodiscard]] std::optional<Clock::time_point> deadline() const;
    /// True if no answer arrived after all tries.
    [[nodiscard]] bool lost() const { return lost_; }

    [[nodiscard]] std::vector<std::uint8_t> take_output();
    [[nodiscard]] std::optional<Answer> take_answer();
    /// Returns each event once, in the order of ids, from the answer to HELLO on. Never acknowledges a new event, but
    /// repeats an earlier acknowledge() if the board repeats the event.
    [[nodiscard]] std::optional<BoardEvent> take_event();
    /// Returns the board's confirmation of a STOP.
    [[nodiscard]] std::optional<rigproto::StatusReply> take_stopped();

    struct Counters {
        std::uint32_t damaged{};  ///< frames with a wrong checksum, and other invalid frames
        std::uint32_t stale{};    ///< valid frames that belong to no pending request
        std::uint32_t repeated{}; ///< requests that were sent again
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }

private:
    struct Request {
        rigproto::Frame frame;
        Clock::time_point until;
        unsigned sent{};
    };
    void send(const rigproto::Frame& frame);
    void take(const rigproto::Frame& frame);
    void answered(const rigproto::Frame& frame);
    [[nodiscard]] bool in_order(std::uint32_t id);
    void heard(const rigproto::Frame& frame);

    std::uint16_t nonce_;
    std::uint8_t seq_{};
    std::uint8_t stop_seq_{};
    std::uint32_t next_event_{}; ///< 0: no greeting yet
    std::uint32_t acknowledged_{};
    bool lost_{};
    rigproto::Decoder decoder_;
    std::optional<Request> request_;
    std::vector<std::uint8_t> output_{0, 0}; ///< ends a partial frame of an earlier host
    std::optional<Answer> answer_;
    std::deque<BoardEvent> events_;
    std::optional<rigproto::StatusReply> stopped_;
    Counters counters_;
};

template <class Message>
requires(!std::convertible_to<const Message&, std::span<const std::uint8_t>>) void HostLink::ask(
    rigproto::Op op, const Message& message, Clock::time_point now) {
    rigproto::Frame payload;
    rigproto::append(payload, message);
    ask(op, payload.payload(), now);
}

} // namespace mediarig::rig

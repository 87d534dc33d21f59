// SPDX-License-Identifier: GPL-3.0-or-later
/// The host's end of one session with a board: repeats what is not answered, tells answers from echoes of the past,
/// brings events into their order. Pure: bytes and time are passed in, bytes come out.
///
/// A session begins with HELLO under a nonce of its own; after `lost()` nothing but a new session helps.
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

/// A board answers in about a millisecond: so long a wait means that a frame was lost.
inline constexpr std::chrono::milliseconds answer_within{150};
inline constexpr unsigned tries = 3;

/// What the board answered to the request under way.
struct Answer {
    rigproto::Rejection rejection;
    std::vector<std::uint8_t> payload; ///< behind the Reject byte; empty when rejected
};

/// An event of the board. Id 0: progress, sent once and not kept.
struct BoardEvent {
    rigproto::EventKind kind{};
    rigproto::EventHead head;
    std::vector<std::uint8_t> payload; ///< whole, with its head
};

class HostLink {
public:
    using Clock = std::chrono::steady_clock;

    /// `nonce` is not 0 and none of the last four that this board has heard.
    explicit HostLink(std::uint16_t nonce) : nonce_(nonce) {}

    /// Only while nothing is pending and the link is not lost.
    void ask(rigproto::Op op, std::span<const std::uint8_t> payload, Clock::time_point now);
    template <class Message>
    requires(!std::convertible_to<const Message&, std::span<const std::uint8_t>>) void ask(rigproto::Op op,
                                                                                           const Message& message,
                                                                                           Clock::time_point now);
    [[nodiscard]] bool pending() const { return request_.has_value(); }

    /// The bytes that end the session, for a line that is closed next: nobody waits for the answer.
    [[nodiscard]] std::vector<std::uint8_t> bye();
    /// STOP, which needs no session and waits for nobody.
    void stop();
    /// This event and all before it are kept for good.
    void acknowledge(std::uint32_t event);

    void feed(std::span<const std::uint8_t> bytes);
    /// Repeats the request, or gives up, where its time has come.
    void tick(Clock::time_point now);
    /// When tick() has something to do.
    [[nodiscard]] std::optional<Clock::time_point> deadline() const;
    /// No answer after all tries.
    [[nodiscard]] bool lost() const { return lost_; }

    [[nodiscard]] std::vector<std::uint8_t> take_output();
    [[nodiscard]] std::optional<Answer> take_answer();
    /// Each event once, in the order of ids, from the answer to HELLO on. Nothing is acknowledged by itself, but what
    /// acknowledge() was told already is said again where the board repeats the event.
    [[nodiscard]] std::optional<BoardEvent> take_event();
    /// The board has confirmed a STOP.
    [[nodiscard]] std::optional<rigproto::StatusReply> take_stopped();

    struct Counters {
        std::uint32_t damaged{};  ///< frames whose check was wrong, or that were none
        std::uint32_t stale{};    ///< whole frames that belong to nothing under way
        std::uint32_t repeated{}; ///< requests that had to be sent again
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
    std::uint32_t next_event_{}; ///< 0: not greeted yet
    std::uint32_t acknowledged_{};
    bool lost_{};
    rigproto::Decoder decoder_;
    std::optional<Request> request_;
    std::vector<std::uint8_t> output_{0, 0}; ///< ends whatever an earlier host had begun to send
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

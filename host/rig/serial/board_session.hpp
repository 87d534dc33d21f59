// SPDX-License-Identifier: GPL-3.0-or-later
/// Keeps a board: the line, the session, the ledger. Internal to host/rig/serial.
#pragma once

#include <array>
#include <deque>
#include <exception>
#include <map>
#include <random>
#include <set>

#include "host/rig/port/async_rig_log.hpp"
#include "host/rig/port/board.hpp"
#include "host/rig/serial/board_line.hpp"
#include "host/rig/serial/board_settings.hpp"

namespace mediarig::rig {

/// Number of the ledger's newest jobs to check: more than a board stores, and more than a program leaves open.
inline constexpr std::size_t latest_jobs = 64;

class BoardSession : public std::enable_shared_from_this<BoardSession> {
public:
    template <class T>
    using Answered = boost::asio::awaitable<Result<T>>;

    BoardSession(boost::asio::any_io_executor executor, BoardSettings settings, std::shared_ptr<AsyncRigLog> log);

    /// Greets for the first time, settles open jobs of the ledger, starts the heartbeat.
    Answered<void> open();
    void end(Error why);

    /// Returns the answer's payload. Repeats the request after a lost line: only for requests without side effects.
    Answered<std::vector<std::uint8_t>> look(rigproto::Op op, std::vector<std::uint8_t> payload);
    template <class Reply>
    Answered<Reply> look_for(rigproto::Op op, std::vector<std::uint8_t> payload);
    Answered<RigJobOutcome> act(Operation operation);
    Answered<void> stop();

    rigproto::HelloReply hello;
    std::string why;
    std::function<void(const LoggedEvent&)> listener;
    unsigned reconnects{};
    bool read_only{};
    [[nodiscard]] std::string description() const;
    [[nodiscard]] std::string path() const;

private:
    using Clock = Wakeup::Clock;
    /// State of a job that this process requested or found running.
    struct PendingJob {
        std::optional<RigJobOutcome> outcome;
        bool forgotten{}; ///< the board no longer knows the job
    };

    // the line
    [[nodiscard]] Result<std::string> locate() const;
    Answered<void> connect();
    Answered<void> reconnect();
    boost::asio::awaitable<void> send_heartbeats();
    Answered<void> heartbeat();
    Answered<void> connected();

    // greeting
    Answered<void> greet();
    Answered<rig::Answer> send_hello();
    Answered<void> configure();
    Answered<void> wait_for_boot();
    [[nodiscard]] Result<void> check_identity(const rigproto::HelloReply& reply);
    Answered<void> reconcile_ledger();
    Answered<bool> started_cold();
    Answered<void> clear_jobs();
    [[nodiscard]] std::uint16_t new_nonce();

    // events
    void hear();
    boost::asio::awaitable<void> keep_events();
    Answered<void> take(BoardEvent event);

    // jobs
    enum class JobReception : std::uint8_t { accepted, refused, forgotten };
    Answered<JobReception> begin(std::uint32_t job, const Operation& operation, rigproto::Rejection& rejection);
    Answered<RigJobOutcome> outcome_of(std::uint32_t job, const Operation& operation);
    Answered<void> confirm_empty(PortIndex reader);
    Answered<void> ask_after(std::uint32_t job);
    Answered<void> resolve_open_jobs();
    Answered<void> resolve_open_job(const LoggedJob& open);

    boost::asio::any_io_executor executor_;
    BoardSettings settings_;
    std::shared_ptr<AsyncRigLog> log_; ///< null: read-only session
    Wakeup wakeup_;
    std::shared_ptr<BoardLine> line_;
    bool up_{}; ///< greeted and configured
    bool greeted_before_{};
    bool greet_again_{}; ///< the board reports that it has no session, or its lease expired
    bool hearing_{};
    unsigned greetings_{}; ///< number of successful greetings
    bool stranger_{};      ///< another board answers at this line
    std::optional<Error> ended_;
    std::uint32_t epoch_{};
    std::array<std::uint16_t, 4> nonces_{};
    std::uint16_t session_{}; ///< nonce of the last session that the board accepted
    std::mt19937 random_{std::random_device{}()};
    std::map<std::uint32_t, PendingJob> waiting_;
};

template <class Reply>
boost::asio::awaitable<Result<Reply>> BoardSession::look_for(rigproto::Op op, std::vector<std::uint8_t> payload) {
    const auto self = shared_from_this();
    const auto bytes = co_await look(op, std::move(payload));
    if (!bytes) co_return fail(bytes.error());
    const auto reply = rigproto::decode<Reply>(*bytes);
    if (!reply)
        co_return fail(
            Errc::bad_format,
            "the rig's board sent an answer that this mediarig cannot read: update mediarig or the firmware");
    co_return *reply;
}

[[nodiscard]] std::string text_of_exception(const std::exception_ptr& broken);
/// "load pocket 3 into reader 1": for messages.
[[nodiscard]] std::string told(const Operation& operation);
/// An operation in the form of the protocol.
struct JobRequest {
    rigproto::Op op{};
    std::vector<std::uint8_t> payload;
};
[[nodiscard]] JobRequest request_of(std::uint32_t job, const Operation& operation);
template <class Message>
[[nodiscard]] std::vector<std::uint8_t> bytes_of(const Message& message) {
    rigproto::Frame frame;
    rigproto::append(frame, message);
    return {frame.payload().begin(), frame.payload().end()};
}
/// Returns "0123456789ABCDEF", or an empty text for a board without a serial.
[[nodiscard]] std::string serial_of(const rigproto::HelloReply& hello);

} // namespace mediarig::rig

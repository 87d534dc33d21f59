// SPDX-License-Identifier: GPL-3.0-or-later
/// The connection to an agent over one stream socket: a child's socket pair, or the socket of a machine's serial port.
#pragma once

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "host/agent/client/agent_link.hpp"
#include "host/agent/protocol/message.hpp"
#include "host/base/async/event.hpp"
#include "host/base/async/line_framer.hpp"

namespace mediarig::agent {

class StreamLink final : public AgentLink {
public:
    using Socket = boost::asio::local::stream_protocol::socket;
    /// Called once when the agent closes the connection unexpectedly; returns the error to report. May wait briefly
    /// until the cause is known; every pending call also waits.
    using EndReason = std::function<boost::asio::awaitable<Error>()>;

    /// Takes a connected socket. `close_within`: time that close() waits for the agent to close its end.
    StreamLink(Socket socket, std::string description, std::chrono::milliseconds close_within);
    StreamLink(const StreamLink&) = delete;
    StreamLink& operator=(const StreamLink&) = delete;
    ~StreamLink() override;

    /// Set the handler before start().
    void on_connection_lost(EndReason exit_reason);
    /// Ends the connection as if the agent had closed it.
    void lose();

    boost::asio::awaitable<Result<void>> start() override;
    boost::asio::awaitable<Result<nlohmann::json>> call(RequestId id, std::string method,
                                                        nlohmann::json params) override;
    void on_notification(NotificationHandler handler) override;
    /// Closes our end, so that the agent reads the end of its input, then waits for the agent to close its end. Fails
    /// with timed_out.
    boost::asio::awaitable<Result<void>> close() override;
    void expedite_close() override;
    std::string description() const override { return description_; }

private:
    class Conversation;
    std::shared_ptr<Conversation> conversation_; ///< shared with the reading and writing coroutines
    std::string description_;
};

/// State that the connection object shares with its reading and writing coroutines.
class StreamLink::Conversation : public std::enable_shared_from_this<Conversation> {
public:
    Conversation(Socket socket, std::chrono::milliseconds close_within);

    void start();
    boost::asio::awaitable<Result<nlohmann::json>> call(RequestId id, std::string method, nlohmann::json params);
    boost::asio::awaitable<Result<void>> close();
    /// Limits the time that close() waits for the agent to close its end; also affects a close() that is already
    /// waiting.
    void expedite_close();
    /// Ends the reading, and thus the connection.
    void stop_reading();
    /// Stops all callbacks, because the owner of the connection is destroyed.
    void abandon();

    NotificationHandler handler;
    EndReason exit_reason;

private:
    struct Pending {
        explicit Pending(const boost::asio::any_io_executor& executor) : answered(executor) {}
        std::optional<Result<nlohmann::json>> answer;
        Event answered;
    };

    boost::asio::awaitable<void> read();
    boost::asio::awaitable<void> write();
    boost::asio::awaitable<void> lose();
    /// Ends all waits after an exception in read(), write() or a handler called by read().
    void abort(const std::string& thrown);
    /// Handles one frame; returns an error if the frame is invalid.
    std::optional<Error> receive(const FramedLine& frame);
    std::optional<Error> receive(const Response& response);
    /// Closes our end of the connection; afterwards every call fails with `error`.
    void end(Error error);

    Socket socket_;
    std::chrono::milliseconds close_within_;
    std::function<void()> wait_anew_; ///< restarts the wait of a waiting close()
    LineFramer framer_;
    std::map<std::uint64_t, std::shared_ptr<Pending>> pending_;
    std::deque<std::string> outbox_;
    Event outbox_filled_;
    Event peer_ended_;
    std::optional<Error> ended_; ///< error of all further calls
    bool started_{false};
    bool reading_{false};
};

} // namespace mediarig::agent

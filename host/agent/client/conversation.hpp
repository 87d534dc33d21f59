// SPDX-License-Identifier: GPL-3.0-or-later
/// What a stream link shares with its reading and writing coroutines.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "host/agent/client/stream_link.hpp"
#include "host/agent/protocol/line_framer.hpp"
#include "host/agent/protocol/message.hpp"
#include "host/asio/event.hpp"

namespace mediarig::agent {

class StreamLink::Conversation : public std::enable_shared_from_this<Conversation> {
public:
    Conversation(Socket socket, std::chrono::milliseconds close_within);

    void start();
    boost::asio::awaitable<Result<nlohmann::json>> call(RequestId id, std::string method, nlohmann::json params);
    boost::asio::awaitable<Result<void>> close();
    /// Also a close() that waits already.
    void hurry();
    /// The link's owner is gone: nobody is to be called any more.
    void abandon();

    NotificationHandler handler;
    WhyItEnded why_it_ended;

private:
    struct Pending {
        explicit Pending(const boost::asio::any_io_executor& executor) : answered(executor) {}
        std::optional<Result<nlohmann::json>> answer;
        Event answered;
    };

    boost::asio::awaitable<void> read();
    boost::asio::awaitable<void> write();
    boost::asio::awaitable<void> lose();
    /// What read() or write() threw, or a handler that read() called: nothing that waits is left waiting.
    void break_off(const std::string& thrown);
    /// What is wrong with the frame, where something is.
    std::optional<Error> receive(const Frame& frame);
    std::optional<Error> receive(const Response& response);
    /// From here on every call fails with `error`; our half of the line is closed.
    void end(Error error);

    Socket socket_;
    std::chrono::milliseconds close_within_;
    std::function<void()> wait_anew_; ///< of a close() that waits
    LineFramer framer_;
    std::map<std::uint64_t, std::shared_ptr<Pending>> pending_;
    std::deque<std::string> outbox_;
    Event outbox_filled_;
    Event peer_ended_;
    std::optional<Error> ended_; ///< why no call can succeed any more
    bool started_{false};
    bool reading_{false};
};

} // namespace mediarig::agent

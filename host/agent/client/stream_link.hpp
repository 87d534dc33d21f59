// SPDX-License-Identifier: GPL-3.0-or-later
/// The line to an agent over one stream socket: a child's socket pair, or the socket of a machine's serial port.
#pragma once

#include <boost/asio/local/stream_protocol.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "host/agent/client/agent_link.hpp"

namespace mediarig::agent {

class StreamLink final : public AgentLink {
public:
    using Socket = boost::asio::local::stream_protocol::socket;
    /// Asked once when the agent's end of the line closes without being told to: what to say about it. May wait a
    /// moment for the cause to become known; every pending call waits with it.
    using WhyItEnded = std::function<boost::asio::awaitable<Error>()>;

    /// Takes a connected socket. `close_within`: how long close() waits for the agent's end to close.
    StreamLink(Socket socket, std::string description, std::chrono::milliseconds close_within);
    StreamLink(const StreamLink&) = delete;
    StreamLink& operator=(const StreamLink&) = delete;
    ~StreamLink() override;

    /// To be set before start().
    void on_lost(WhyItEnded why_it_ended);

    boost::asio::awaitable<Result<void>> start() override;
    boost::asio::awaitable<Result<nlohmann::json>> call(RequestId id, std::string method,
                                                        nlohmann::json params) override;
    void on_notification(NotificationHandler handler) override;
    /// Closes our half, so that the agent meets the end of its input, then waits for its half. Fails with timed_out.
    boost::asio::awaitable<Result<void>> close() override;
    void hurry() override;
    std::string description() const override { return description_; }

private:
    class Conversation;
    std::shared_ptr<Conversation> conversation_; ///< shared with the coroutines that read and write
    std::string description_;
};

} // namespace mediarig::agent

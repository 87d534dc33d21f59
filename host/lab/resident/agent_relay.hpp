// SPDX-License-Identifier: GPL-3.0-or-later
/// Relays the lab's connection to its agent to one client, message by message. Closes the connection in order even if
/// the client dies.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <deque>
#include <memory>
#include <string>

#include "host/agent/client/agent_link.hpp"
#include "host/agent/protocol/message.hpp"
#include "host/base/async/event.hpp"
#include "host/base/async/line_framer.hpp"
#include "host/base/result.hpp"
#include "host/lab/qmp/unix_socket.hpp"

namespace mediarig::lab {

class AgentRelay : public std::enable_shared_from_this<AgentRelay> {
public:
    AgentRelay(const boost::asio::any_io_executor& executor, std::unique_ptr<agent::AgentLink> link);

    /// Opens the connection to the agent. Fails like the link.
    [[nodiscard]] boost::asio::awaitable<Result<void>> open();
    /// Relays requests, answers and notifications until the client disconnects, then closes the connection: when this
    /// returns, the agent has cleaned up. The client's socket is closed last.
    [[nodiscard]] boost::asio::awaitable<void> serve(UnixSocket socket);

private:
    boost::asio::awaitable<void> read_requests(UnixSocket& socket);
    boost::asio::awaitable<void> write_lines(UnixSocket& socket);
    boost::asio::awaitable<void> carry(agent::RpcRequest request);
    void send(std::string line);

    std::unique_ptr<agent::AgentLink> link_;
    Event changed_; ///< signals pending output or the end of a side
    std::deque<std::string> lines_;
    std::size_t pending_{0};
    bool over_{false}, written_{false};
};

} // namespace mediarig::lab

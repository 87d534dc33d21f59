// SPDX-License-Identifier: GPL-3.0-or-later
/// Lends the lab's line to its agent to one client, message by message: the client may die, the line is put away in
/// order all the same.
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

    /// Opens the line to the agent. Fails as the link does.
    [[nodiscard]] boost::asio::awaitable<Result<void>> open();
    /// Carries requests there and answers and notifications back until the client is gone, then closes the line: when
    /// this returns, the agent has put everything away. The client's socket is closed last.
    [[nodiscard]] boost::asio::awaitable<void> serve(UnixSocket socket);

private:
    boost::asio::awaitable<void> read_requests(UnixSocket& socket);
    boost::asio::awaitable<void> write_lines(UnixSocket& socket);
    boost::asio::awaitable<void> carry(agent::Request request);
    void send(std::string line);

    std::unique_ptr<agent::AgentLink> link_;
    Event changed_; ///< something to write, or something has ended
    std::deque<std::string> lines_;
    std::size_t pending_{0};
    bool over_{false}, written_{false};
};

} // namespace mediarig::lab

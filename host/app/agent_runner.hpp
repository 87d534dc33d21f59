// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs work that needs an agent: starts it, says hello, lets the work run, closes it, whatever happened.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>

#include "host/agent/client/agent_client.hpp"
#include "host/agent/protocol/hello.hpp"
#include "host/result.hpp"
#include "host/session/stop_signal.hpp"

namespace mediarig::app {

struct AgentChoice {
    /// "local": this machine, with this process's privilege; "sudo": this machine, through sudo; "auto": local for
    /// root, else sudo where it asks for no password, else local.
    std::string how{"auto"};
};

using AgentWork = std::function<boost::asio::awaitable<Result<void>>(agent::AgentClient&, const agent::HelloReport&)>;

/// SIGINT, SIGTERM and SIGHUP ask `stop`; a second SIGINT ends the link at once, and with it everything the agent does.
/// Fails with what the work failed with, or with what kept the agent from starting.
[[nodiscard]] Result<void> with_agent(const AgentChoice& choice, session::StopSignal& stop, const AgentWork& work);

} // namespace mediarig::app

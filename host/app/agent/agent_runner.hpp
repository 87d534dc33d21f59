// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs work that needs an agent: opens the way to it, says hello, lets the work run, closes everything, whatever
/// happened.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/agent/client/agent_client.hpp"
#include "host/agent/protocol/message.hpp"
#include "host/base/result.hpp"
#include "host/campaign/stop_signal.hpp"
#include "host/rig/port/rig.hpp"

namespace mediarig::app {

struct AgentChoice {
    /// "local": with this process's privilege; "sudo": through sudo, whose password is asked for on the terminal where
    /// there is one; "pkexec": through polkit; "auto": local for root, else sudo where it asks for no password or one
    /// of `devices` needs it and somebody can be asked, else local; "lab": in the guest of the running lab.
    std::string how{"auto"};
    std::vector<std::string> devices{}; ///< paths that the work opens; what is no block device is of no matter
};

using AgentWork = std::function<boost::asio::awaitable<Result<void>>(agent::AgentClient&, const agent::HelloReport&)>;

/// What has to be set up before an agent can be reached, and put away afterwards.
class Route {
public:
    virtual ~Route() = default;
    [[nodiscard]] virtual boost::asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> open(
        const boost::asio::any_io_executor& executor) = 0;
    /// Idempotent; called while open() is pending it makes that fail.
    [[nodiscard]] virtual boost::asio::awaitable<Result<void>> close() = 0;
    /// Somebody will not wait, and the line to the agent has been closed: close() waits only for what a rig has to
    /// bring to rest.
    virtual void hurry() {}
    /// What loads slots on this way; null where nothing does, before open() has succeeded, and after close().
    [[nodiscard]] virtual rig::Rig* rig() { return nullptr; }
};

/// From the first signal on.
struct EndPatience {
    std::chrono::milliseconds notice{std::chrono::seconds(5)};   ///< then the stop signal is told what is waited for
    std::chrono::milliseconds give_up{std::chrono::seconds(30)}; ///< then the link is ended as by a second signal
};

/// SIGINT, SIGTERM and SIGHUP ask `stop`; a second one, or an agent that takes too long, ends the link at once, and
/// with it everything the agent does. Fails with what the work failed with, or with what kept the agent from starting.
[[nodiscard]] Result<void> with_route(Route& route, session::StopSignal& stop, const AgentWork& work,
                                      const EndPatience& patience = {});

/// The way to the agent that was chosen; `choice` outlives it.
[[nodiscard]] std::unique_ptr<Route> make_agent_route(const AgentChoice& choice);

/// The agent of this machine, with no rig.
[[nodiscard]] Result<void> with_agent(const AgentChoice& choice, session::StopSignal& stop, const AgentWork& work);

} // namespace mediarig::app

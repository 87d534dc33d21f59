// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs work that needs an agent: opens the route, exchanges hello, runs the work, and closes everything in every case.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "host/agent/client/agent_client.hpp"
#include "host/agent/protocol/message.hpp"
#include "host/base/result.hpp"
#include "host/campaign/stop_signal.hpp"
#include "host/rig/port/rig.hpp"

namespace mediarig::app {

struct AgentChoice {
    /// "local": with this process's privilege; "sudo": through sudo, which asks for the password on the terminal if
    /// there is a terminal; "pkexec": through polkit; "auto": local for root, else sudo if it needs no password, or if
    /// one of `devices` requires root and a user is at the terminal, else local; "lab": in the guest of the running
    /// lab.
    std::string how{"auto"};
    std::vector<std::string> devices{}; ///< paths that the work opens; only block devices matter
};

using AgentWork = std::function<boost::asio::awaitable<Result<void>>(agent::AgentClient&, const agent::HelloReport&)>;

/// Opens and closes the connection to an agent.
class Route {
public:
    virtual ~Route() = default;
    [[nodiscard]] virtual boost::asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> open(
        const boost::asio::any_io_executor& executor) = 0;
    /// Idempotent. A call while open() is pending makes open() fail.
    [[nodiscard]] virtual boost::asio::awaitable<Result<void>> close() = 0;
    /// Called when the connection was closed immediately: close() then waits only until a rig has stopped safely.
    virtual void expedite_close() {}
    /// The rig that loads slots on this route. Null if there is no rig, before open() succeeds, and after close().
    [[nodiscard]] virtual rig::Rig* rig() { return nullptr; }
};

/// Durations since the first signal.
struct ShutdownTimeouts {
    std::chrono::milliseconds notice{
        std::chrono::seconds(5)}; ///< after this time the stop signal reports the cause of the delay
    std::chrono::milliseconds give_up{
        std::chrono::seconds(30)}; ///< after this time the connection is closed as if a second signal came
};

/// SIGINT, SIGTERM and SIGHUP call stop.request(). A second signal, or an agent that exceeds `patience`, closes the
/// connection at once and thereby ends all work of the agent. Fails with the error of the work or of starting the
/// agent.
[[nodiscard]] Result<void> with_route(Route& route, campaign::StopSignal& stop, const AgentWork& work,
                                      const ShutdownTimeouts& patience = {});

/// The chosen route to the agent; `choice` must outlive it.
[[nodiscard]] std::unique_ptr<Route> make_agent_route(const AgentChoice& choice);

/// Uses the agent of this machine, without a rig.
[[nodiscard]] Result<void> with_agent(const AgentChoice& choice, campaign::StopSignal& stop, const AgentWork& work);

/// Returns the answer of the agent to one `question`, a coroutine of agent and machine that returns a Result. Fails
/// like with_agent().
template <class Question>
[[nodiscard]] auto ask_agent(const AgentChoice& choice, const Question& question) {
    using Answer =
        typename std::invoke_result_t<const Question&, agent::AgentClient&, const agent::HelloReport&>::value_type;
    Answer answer = fail(Errc::cancelled, "the agent was not asked");
    campaign::StopSignal stop;
    const auto done = with_agent(
        choice, stop,
        [&](agent::AgentClient& agent, const agent::HelloReport& machine) -> boost::asio::awaitable<Result<void>> {
            answer = co_await question(agent, machine);
            if (!answer) co_return fail(answer.error());
            co_return Result<void>{};
        });
    if (!done) answer = fail(done.error());
    return answer;
}

} // namespace mediarig::app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/agent_runner.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdlib>
#include <exception>

#include "host/agent/client/process/process_link.hpp"
#include "host/version.hpp"

namespace mediarig::app {
namespace {

namespace asio = boost::asio;

/// Whether sudo lets us through without asking: it must not wait for a password that nobody types.
bool sudo_is_free() {
    return std::system("sudo -n true >/dev/null 2>&1") == 0; // NOLINT: fixed words, before any thread exists
}

agent::AgentCommand command_of(const AgentChoice& choice, const std::string& program) {
    const bool root = ::geteuid() == 0;
    if (choice.how == "sudo" || (choice.how == "auto" && !root && sudo_is_free())) return agent::sudo_agent(program);
    return agent::local_agent(program);
}

asio::awaitable<void> listen_for_signals(asio::signal_set& signals, agent::AgentClient& agent,
                                         session::StopSignal& stop) {
    for (bool again = false;; again = true) {
        const auto [error, number] = co_await signals.async_wait(asio::as_tuple(asio::use_awaitable));
        if (error) co_return;
        const std::string name = number == SIGINT ? "interrupted from the keyboard" : "asked to end by a signal";
        if (!again) {
            // Work that is no session has nobody else who interrupts it.
            if (!stop.request(name)) (void)co_await agent.cancel();
        } else {
            // Somebody is in a hurry: the agent puts everything away by itself when the line ends.
            (void)co_await agent.close();
        }
    }
}

asio::awaitable<Result<void>> talk(agent::AgentClient& agent, const AgentWork& work) {
    const auto hello = co_await agent.hello(fmt::format("mediarig {}", version));
    if (!hello) co_return fail(hello.error());
    auto worked = co_await work(agent, *hello);
    auto closed = co_await agent.close();
    if (!worked) co_return worked;
    co_return closed;
}

} // namespace

Result<void> with_agent(const AgentChoice& choice, session::StopSignal& stop, const AgentWork& work) {
    auto program = agent::find_agent_program();
    if (!program) return fail(program.error());

    asio::io_context io(1);
    agent::AgentClient agent(agent::make_process_link(io.get_executor(), command_of(choice, *program)));
    asio::signal_set signals(io, SIGINT, SIGTERM, SIGHUP);
    Result<void> outcome = fail(Errc::agent_lost, "the agent was never asked");
    asio::co_spawn(io, listen_for_signals(signals, agent, stop), asio::detached);
    asio::co_spawn(
        io,
        [&]() -> asio::awaitable<void> {
            outcome = co_await talk(agent, work);
            signals.cancel();
        },
        [&](std::exception_ptr broken) {
            if (broken) std::rethrow_exception(broken);
        });
    io.run();
    return outcome;
}

} // namespace mediarig::app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/agent/agent_runner.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <exception>
#include <optional>

#include "host/agent/client/process/process_link.hpp"
#include "host/app/agent/sudo.hpp"
#include "host/base/process/run_process.hpp"
#include "host/base/version.hpp"
#include "host/lab/resident/lab_client.hpp"

namespace mediarig::app {
namespace {

namespace asio = boost::asio;

/// True if sudo starts the agent without a password prompt. Tries the agent itself, because a sudo rule may allow only
/// the agent; the agent exits at once without input.
bool sudo_is_free(const std::string& program) {
    const auto ended = process::run_process(
        {.program = "sudo", .arguments = {"-n", "--", program, "--stdio"}, .time_limit = std::chrono::seconds(10)});
    return ended && ended->succeeded();
}

/// May block at the terminal until the user has typed the password.
Result<agent::AgentCommand> command_of(const AgentChoice& choice, const std::string& program) {
    // pkexec asks in a window of the desktop, or at the terminal.
    if (choice.how == "pkexec" && ::geteuid() != 0) return agent::agent_through({"pkexec"}, program);
    // Root does not use sudo again: otherwise the agent would work for root instead of the user who called sudo.
    if (::geteuid() == 0 || choice.how == "local") return agent::local_agent(program);
    const std::string closed = closed_devices(choice.devices);
    const bool wanted = choice.how == "sudo" || !closed.empty();
    if (!sudo_is_free(program)) {
        if (!wanted) return agent::local_agent(program);
        if (has_interactive_terminal()) {
            const auto given = ask_for_password(closed.empty() ? "for its agent" : "to open " + closed);
            if (!given) return fail(given.error());
        } else if (choice.how == "auto") {
            // The safety checks need no privilege, and their refusals come first.
            return agent::local_agent(program);
        }
    }
    return agent::sudo_agent(program);
}

/// Route to an agent that is a child of this process.
class ChildRoute final : public Route {
public:
    explicit ChildRoute(const AgentChoice& choice) : choice_(choice) {}
    asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> open(const asio::any_io_executor& executor) override {
        auto program = agent::find_agent_program();
        if (!program) co_return fail(program.error());
        auto command = command_of(choice_, *program);
        if (!command) {
            // Ctrl-C at the password prompt also signals this process. Handle the signal first, because its message is
            // better.
            asio::steady_timer pause(executor, std::chrono::milliseconds(10));
            (void)co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
            co_return fail(command.error());
        }
        co_return agent::make_process_link(executor, std::move(*command));
    }
    asio::awaitable<Result<void>> close() override { co_return Result<void>{}; }

private:
    const AgentChoice& choice_;
};

/// Route to the agent in the guest of a running lab.
class RunningLabRoute final : public Route {
public:
    asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> open(const asio::any_io_executor&) override {
        return lab::link_to_lab(lab::default_lab_place());
    }
    asio::awaitable<Result<void>> close() override { co_return Result<void>{}; }
};

class Conversation {
public:
    Conversation(const asio::any_io_executor& executor, Route& route, campaign::StopSignal& stop,
                 const ShutdownTimeouts& patience)
        : route_(route), stop_(stop), patience_(patience), waiting_(executor) {}

    asio::awaitable<void> listen_for_signals(asio::signal_set& signals) {
        for (bool again = false; !over_; again = true) {
            const auto [error, number] = co_await signals.async_wait(asio::as_tuple(asio::use_awaitable));
            if (error) co_return;
            const bool heard =
                stop_.request(number == SIGINT ? "interrupted from the keyboard" : "terminated by a signal");
            if (!agent_) {
                (void)co_await route_.close();
            } else if (again || !greeted_) {
                waiting_.cancel();
                co_await end_link();
            } else {
                const auto executor = co_await asio::this_coro::executor;
                watch_the_end(executor);
                // Outside a session nothing else cancels the work. Do not wait: the next signal must be handled even if
                // the agent no longer answers.
                if (!heard)
                    asio::co_spawn(
                        executor, [this]() -> asio::awaitable<void> { (void)co_await agent_->cancel(); },
                        asio::detached);
            }
        }
    }

    /// Stops the listener, even while it handles a signal. From here on a signal ends the process.
    void end(asio::signal_set& signals) {
        over_ = true;
        boost::system::error_code ignored;
        signals.clear(ignored);
        signals.cancel();
        waiting_.cancel();
    }

    asio::awaitable<Result<void>> talk(const AgentWork& work) {
        auto link = co_await route_.open(co_await asio::this_coro::executor);
        if (!link && stop_.requested()) co_return fail(Errc::cancelled, stop_.why() + " before anything had begun");
        if (!link) co_return fail(link.error());
        agent_.emplace(std::move(*link));
        const auto hello = co_await agent_->hello(fmt::format("mediarig {}", version));
        if (!hello) {
            (void)co_await agent_->close();
            if (stop_.requested()) co_return fail(Errc::cancelled, stop_.why() + " before anything had begun");
            co_return fail(hello.error());
        }
        greeted_ = true;
        // If the stop request came before the first request, do not start the work.
        Result<void> worked;
        if (stop_.requested()) worked = fail(Errc::cancelled, stop_.why() + " before anything had begun");
        if (worked) worked = co_await work(*agent_, *hello);
        auto closed = co_await agent_->close();
        if (!worked) co_return worked;
        co_return closed;
    }

private:
    /// Immediate end: the agent cleans up when the connection closes. Before `hello` the agent has nothing to clean up.
    asio::awaitable<void> end_link() {
        agent_->expedite_close();
        (void)co_await agent_->close();
        route_.expedite_close();
    }

    /// An agent that is blocked in the kernel never reports the end of its cleanup.
    void watch_the_end(const asio::any_io_executor& executor) {
        waiting_.expires_after(patience_.notice);
        waiting_.async_wait([this, executor](const boost::system::error_code& ended) {
            if (ended || over_) return;
            const auto left = patience_.give_up - patience_.notice;
            stop_.delayed(
                fmt::format("waiting for the agent to finish its operation and release the media; the run ends in "
                            "{:.0f} s at the latest, a second Ctrl-C ends it now",
                            std::chrono::duration<double>(left).count()));
            waiting_.expires_after(left);
            waiting_.async_wait([this, executor](const boost::system::error_code& ended_meanwhile) {
                if (ended_meanwhile || over_) return;
                stop_.delayed(fmt::format("the agent did not exit within {:.0f} s and is stopped now",
                                          std::chrono::duration<double>(patience_.give_up).count()));
                asio::co_spawn(
                    executor, [this]() -> asio::awaitable<void> { co_await end_link(); }, asio::detached);
            });
        });
    }

    Route& route_;
    campaign::StopSignal& stop_;
    const ShutdownTimeouts patience_;
    asio::steady_timer waiting_;
    std::optional<agent::AgentClient> agent_;
    bool greeted_{false};
    bool over_{false};
};

} // namespace

Result<void> with_route(Route& route, campaign::StopSignal& stop, const AgentWork& work,
                        const ShutdownTimeouts& patience) {
    asio::io_context io(1);
    asio::signal_set signals(io, SIGINT, SIGTERM, SIGHUP);
    Conversation conversation(io.get_executor(), route, stop, patience);
    Result<void> outcome = fail(Errc::agent_lost, "no request was sent to the agent");
    asio::co_spawn(io, conversation.listen_for_signals(signals), asio::detached);
    asio::co_spawn(
        io,
        [&]() -> asio::awaitable<void> {
            outcome = co_await conversation.talk(work);
            const auto closed = co_await route.close();
            if (outcome && !closed) outcome = closed;
            conversation.end(signals);
        },
        [&](std::exception_ptr broken) {
            if (broken) std::rethrow_exception(broken);
        });
    io.run();
    return outcome;
}

std::unique_ptr<Route> make_agent_route(const AgentChoice& choice) {
    if (choice.how == "lab") return std::make_unique<RunningLabRoute>();
    return std::make_unique<ChildRoute>(choice);
}

Result<void> with_agent(const AgentChoice& choice, campaign::StopSignal& stop, const AgentWork& work) {
    const auto route = make_agent_route(choice);
    return with_route(*route, stop, work);
}

} // namespace mediarig::app

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

/// Whether sudo starts the agent without asking: it must not wait for a password that nobody types. There may be a rule
/// for the agent alone, so it is the agent that is tried; it ends at once, since nothing is said to it.
bool sudo_is_free(const std::string& program) {
    const auto ended = process::run_process(
        {.program = "sudo", .arguments = {"-n", "--", program, "--stdio"}, .time_limit = std::chrono::seconds(10)});
    return ended && ended->succeeded();
}

/// May block at the terminal for as long as somebody needs to type a password.
Result<agent::AgentCommand> command_of(const AgentChoice& choice, const std::string& program) {
    // Asks in a window of the desktop's, or at the terminal.
    if (choice.how == "pkexec" && ::geteuid() != 0) return agent::agent_through({"pkexec"}, program);
    // Through sudo once more, the agent of a controller that sudo started would work for root instead of its caller.
    if (::geteuid() == 0 || choice.how == "local") return agent::local_agent(program);
    const std::string closed = closed_devices(choice.devices);
    const bool wanted = choice.how == "sudo" || !closed.empty();
    if (!sudo_is_free(program)) {
        if (!wanted) return agent::local_agent(program);
        if (somebody_may_type()) {
            const auto given = ask_for_password(closed.empty() ? "for its agent" : "to open " + closed);
            if (!given) return fail(given.error());
        } else if (choice.how == "auto") {
            // What the safety rules refuse is refused without any right, and comes first.
            return agent::local_agent(program);
        }
    }
    return agent::sudo_agent(program);
}

/// The agent as a child of this process.
class ChildRoute final : public Route {
public:
    explicit ChildRoute(const AgentChoice& choice) : choice_(choice) {}
    asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> open(const asio::any_io_executor& executor) override {
        auto program = agent::find_agent_program();
        if (!program) co_return fail(program.error());
        auto command = command_of(choice_, *program);
        if (!command) {
            // Ctrl-C at the password came to this process too: it is heard first, and says more.
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

/// The agent in the guest of a lab that somebody started.
class RunningLabRoute final : public Route {
public:
    asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> open(const asio::any_io_executor&) override {
        return lab::link_to_lab(lab::default_lab_place());
    }
    asio::awaitable<Result<void>> close() override { co_return Result<void>{}; }
};

class Conversation {
public:
    Conversation(const asio::any_io_executor& executor, Route& route, session::StopSignal& stop,
                 const EndPatience& patience)
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
                // Work that is no session has nobody else who interrupts it. Not waited for: the next signal is heard
                // also where the agent does not answer any more.
                if (!heard)
                    asio::co_spawn(
                        executor, [this]() -> asio::awaitable<void> { (void)co_await agent_->cancel(); },
                        asio::detached);
            }
        }
    }

    /// A listener that is busy with a signal does not wait for another one. From here on a signal ends the process,
    /// whatever it still waits for.
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
        // Somebody who asks to end before the first request is not to get it all the same.
        Result<void> worked;
        if (stop_.requested()) worked = fail(Errc::cancelled, stop_.why() + " before anything had begun");
        if (worked) worked = co_await work(*agent_, *hello);
        auto closed = co_await agent_->close();
        if (!worked) co_return worked;
        co_return closed;
    }

private:
    /// Somebody is in a hurry: the agent puts everything away by itself when the line ends. One that has not said a
    /// word has nothing to put away.
    asio::awaitable<void> end_link() {
        agent_->hurry();
        (void)co_await agent_->close();
        route_.hurry();
    }

    /// An agent that hangs in the kernel never says that it has put everything away.
    void watch_the_end(const asio::any_io_executor& executor) {
        waiting_.expires_after(patience_.notice);
        waiting_.async_wait([this, executor](const boost::system::error_code& ended) {
            if (ended || over_) return;
            const auto left = patience_.give_up - patience_.notice;
            stop_.delayed(fmt::format(
                "waiting for the agent to end what it does and put the media away; the run ends in {:.0f} s at the "
                "latest, a second Ctrl-C ends it now",
                std::chrono::duration<double>(left).count()));
            waiting_.expires_after(left);
            waiting_.async_wait([this, executor](const boost::system::error_code& ended_meanwhile) {
                if (ended_meanwhile || over_) return;
                stop_.delayed(fmt::format("the agent did not come to an end within {:.0f} s and is ended now",
                                          std::chrono::duration<double>(patience_.give_up).count()));
                asio::co_spawn(
                    executor, [this]() -> asio::awaitable<void> { co_await end_link(); }, asio::detached);
            });
        });
    }

    Route& route_;
    session::StopSignal& stop_;
    const EndPatience patience_;
    asio::steady_timer waiting_;
    std::optional<agent::AgentClient> agent_;
    bool greeted_{false};
    bool over_{false};
};

} // namespace

Result<void> with_route(Route& route, session::StopSignal& stop, const AgentWork& work, const EndPatience& patience) {
    asio::io_context io(1);
    asio::signal_set signals(io, SIGINT, SIGTERM, SIGHUP);
    Conversation conversation(io.get_executor(), route, stop, patience);
    Result<void> outcome = fail(Errc::agent_lost, "the agent was never asked");
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

Result<void> with_agent(const AgentChoice& choice, session::StopSignal& stop, const AgentWork& work) {
    const auto route = make_agent_route(choice);
    return with_route(*route, stop, work);
}

} // namespace mediarig::app

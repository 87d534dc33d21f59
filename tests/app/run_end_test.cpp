// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests how a run ends after a signal, if the agent exits in time and if the agent is blocked.
#include <signal.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <chrono>

#include "host/app/agent/agent_runner.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/fake_agent_link.hpp"

using namespace mediarig;
using namespace mediarig::app;
using namespace std::chrono_literals;

namespace {

class FakeRoute final : public Route {
public:
    explicit FakeRoute(std::set<std::string> held) : held_(std::move(held)) {}
    boost::asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> open(
        const boost::asio::any_io_executor&) override {
        auto link = std::make_unique<agent::FakeAgentLink>();
        link->held = held_;
        link->media["/dev/sdx"].node = "/dev/sdx";
        co_return link;
    }
    boost::asio::awaitable<Result<void>> close() override { co_return Result<void>{}; }
    void expedite_close() override { hurried = true; }

    bool hurried{false};

private:
    std::set<std::string> held_;
};

struct Ended {
    Result<void> outcome;
    std::vector<std::string> lines;
    std::chrono::steady_clock::duration took{};
    bool hurried{false}; ///< the connection to the agent was requested to end at once
};

/// Sends one signal during a pending request, and another signal if the agent has not ended its work 20 ms later.
Ended end_by(int signal, std::set<std::string> held, const ShutdownTimeouts& patience, bool again = false) {
    FakeRoute route(std::move(held));
    campaign::StopSignal stop;
    Ended ended;
    stop.on_delay([&](const std::string& line) { ended.lines.push_back(line); });
    const auto begun = std::chrono::steady_clock::now();
    ended.outcome = with_route(
        route, stop,
        [&](agent::AgentClient& agent, const agent::HelloReport&) -> boost::asio::awaitable<Result<void>> {
            ::raise(signal);
            boost::asio::steady_timer pause(co_await boost::asio::this_coro::executor, 20ms);
            if (again)
                pause.async_wait([signal](boost::system::error_code ended_before) {
                    if (!ended_before) ::raise(signal);
                });
            const auto identity = co_await agent.identify("/dev/sdx");
            if (!identity) co_return fail(identity.error());
            co_return Result<void>{};
        },
        patience);
    ended.hurried = route.hurried;
    ended.took = std::chrono::steady_clock::now() - begun;
    return ended;
}

} // namespace

TEST_CASE("a run waits without a message for an agent that finishes in time after a signal") {
    const Ended ended = end_by(SIGINT, {"identify"}, {.notice = 1h, .give_up = 2h});
    REQUIRE(!ended.outcome);
    CHECK(ended.outcome.error().code == Errc::cancelled);
    CHECK(ended.lines.empty());
    CHECK(!ended.hurried);
}

TEST_CASE("a second signal closes the connection to a hanging agent without waiting") {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        CAPTURE(signal);
        const Ended ended = end_by(signal, {"identify", "cancel"}, {.notice = 1h, .give_up = 2h}, true);
        REQUIRE(!ended.outcome);
        CHECK(ended.outcome.error().code == Errc::agent_lost);
        CHECK(ended.lines.empty());
        CHECK(ended.hurried);
    }
}

TEST_CASE("after one signal a hanging agent is first reported and then killed") {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        CAPTURE(signal);
        const Ended ended = end_by(signal, {"identify", "cancel"}, {.notice = 20ms, .give_up = 60ms});
        REQUIRE(!ended.outcome);
        CHECK(ended.outcome.error().code == Errc::agent_lost);
        CHECK(ended.took >= 60ms);
        CHECK(ended.hurried);
        REQUIRE(ended.lines.size() == 2);
        CHECK_THAT(ended.lines[0], ContainsSubstring("waiting for the agent") && ContainsSubstring("a second Ctrl-C"));
        CHECK_THAT(ended.lines[1], ContainsSubstring("did not exit") && ContainsSubstring("is stopped now"));
    }
}

// SPDX-License-Identifier: GPL-3.0-or-later
/// How a run ends after a signal when its agent ends in time, and when it hangs.
#include <signal.h>

#include <chrono>

#include "host/app/agent_runner.hpp"
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

private:
    std::set<std::string> held_;
};

struct Ended {
    Result<void> outcome;
    std::vector<std::string> lines;
    std::chrono::steady_clock::duration took{};
};

/// One signal while a request is pending.
Ended end_by(int signal, std::set<std::string> held, const EndPatience& patience) {
    FakeRoute route(std::move(held));
    session::StopSignal stop;
    Ended ended;
    stop.on_delay([&](const std::string& line) { ended.lines.push_back(line); });
    const auto begun = std::chrono::steady_clock::now();
    ended.outcome = with_route(
        route, stop,
        [&](agent::AgentClient& agent, const agent::HelloReport&) -> boost::asio::awaitable<Result<void>> {
            ::raise(signal);
            const auto identity = co_await agent.identify("/dev/sdx");
            if (!identity) co_return fail(identity.error());
            co_return Result<void>{};
        },
        patience);
    ended.took = std::chrono::steady_clock::now() - begun;
    return ended;
}

} // namespace

TEST_CASE("an agent that ends its work after a signal is waited for without a word") {
    const Ended ended = end_by(SIGINT, {"identify"}, {.notice = 1h, .give_up = 2h});
    REQUIRE(!ended.outcome);
    CHECK(ended.outcome.error().code == Errc::cancelled);
    CHECK(ended.lines.empty());
}

TEST_CASE("an agent that hangs is told of, and ended after one signal") {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        CAPTURE(signal);
        const Ended ended = end_by(signal, {"identify", "cancel"}, {.notice = 20ms, .give_up = 60ms});
        REQUIRE(!ended.outcome);
        CHECK(ended.outcome.error().code == Errc::agent_lost);
        CHECK(ended.took >= 60ms);
        REQUIRE(ended.lines.size() == 2);
        CHECK_THAT(ended.lines[0], ContainsSubstring("waiting for the agent") && ContainsSubstring("a second Ctrl-C"));
        CHECK_THAT(ended.lines[1], ContainsSubstring("did not come to an end") && ContainsSubstring("is ended now"));
    }
}

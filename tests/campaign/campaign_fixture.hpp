// SPDX-License-Identifier: GPL-3.0-or-later
/// A campaign with a scripted agent, a store in memory and a clock that only the test advances.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "host/campaign/resume.hpp"
#include "host/campaign/run/campaign.hpp"
#include "host/plan/parse_plan.hpp"
#include "host/workload/json.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/fake_agent_link.hpp"
#include "tests/fakes/fake_rig.hpp"
#include "tests/fakes/memory_store.hpp"
#include "tests/json.hpp"

namespace mediarig::campaign {

inline media::Medium stick(const std::string& node, const std::string& serial) {
    media::Medium medium;
    medium.node = node;
    medium.transport = media::Transport::usb;
    medium.vendor = "Acme";
    medium.model = "Stick";
    medium.serial = serial;
    medium.size = 4_GiB;
    medium.removable = true;
    return medium;
}

inline plan::Plan plan_of(const std::string& text) {
    auto plan = plan::parse_plan(text);
    if (!plan) {
        for (const std::string& line : plan.error().lines) UNSCOPED_INFO(line);
        FAIL("the plan of this test does not parse");
    }
    return *plan;
}

struct CampaignFixture {
    boost::asio::io_context io;
    std::unique_ptr<agent::FakeAgentLink> owned = std::make_unique<agent::FakeAgentLink>();
    agent::FakeAgentLink& link = *owned;
    agent::AgentClient client{std::move(owned)};
    rig::FakeRig rig{link};
    bool with_rig{true};
    unsigned processors{1};
    MakeSchedule schedule{schedule_for};
    UplinkUse uplinks{.audited = 0};
    rig::Operator* person{};
    std::chrono::milliseconds person_within{40};
    store::MemoryStore store;
    StopSignal stop;
    std::chrono::nanoseconds now{};
    std::vector<SessionEvent> events;
    /// Called with each event after it was recorded.
    std::function<void(const SessionEvent&)> watch = [](const SessionEvent&) {};

    CampaignFixture() {
        link.media["/dev/sdx"] = stick("/dev/sdx", "SERIAL-X");
        link.media["/dev/sdy"] = stick("/dev/sdy", "SERIAL-Y");
        // Both media appear under the device name that is free.
        rig.slots[1] = stick("/dev/sdz", "SERIAL-1");
        rig.slots[2] = stick("/dev/sdz", "SERIAL-2");
    }

    Result<Summary> run(const plan::Plan& plan, bool resumed = false) {
        Result<Summary> ended = fail(Errc::io_failed, "the session did not end");
        const Clock clock{.utc = [this] { return store::TimePoint(now); }, .monotonic = [this] { return now; }};
        const Campaign campaign{.id = "c1", .origin = {}, .resumed = resumed};
        boost::asio::co_spawn(
            io,
            [&]() -> boost::asio::awaitable<void> {
                if (auto hello = co_await client.hello("test"); !hello) {
                    ended = fail(hello.error());
                    co_return;
                }
                store::AsyncStore kept(store, io.get_executor());
                const CampaignPorts ports{client,
                                          kept,
                                          [this](const SessionEvent& event) {
                                              events.push_back(event);
                                              watch(event);
                                          },
                                          clock,
                                          with_rig ? &rig : nullptr,
                                          processors,
                                          schedule,
                                          uplinks,
                                          person,
                                          person_within};
                ended = co_await run_campaign(plan, campaign, ports, stop);
            },
            boost::asio::detached);
        io.restart();
        io.run();
        return ended;
    }

    /// Requests to the agent in order, without read-only requests.
    [[nodiscard]] std::vector<std::string> actions() const {
        std::vector<std::string> result;
        bool after_inspect = false;
        for (const auto& call : link.calls) {
            // True if the formatted medium was inspected.
            const bool looks_again = after_inspect && call.method == "identify";
            after_inspect = call.method == "inspect";
            if (looks_again) continue;
            if (call.method != "hello" && call.method != "inspect" && call.method != "smart" &&
                call.method != "card_health" && call.method != "cancel")
                result.push_back(call.method);
        }
        return result;
    }

    [[nodiscard]] std::vector<std::string> ended(StepEnded::How how) const {
        std::vector<std::string> keys;
        for (const SessionEvent& event : events)
            if (const auto* step = std::get_if<StepEnded>(&event.body); step != nullptr && step->how == how)
                keys.push_back(step->step.key);
        return keys;
    }

    [[nodiscard]] const store::DeviceView& device(std::size_t index) {
        REQUIRE(store.views["c1"].devices.size() > index);
        return store.views["c1"].devices[index];
    }
};

inline const std::string one_stick = R"({
    "mediarig_plan": 1, "name": "one stick",
    "media": [{"name": "x", "path": "/dev/sdx", "confirm": "SERIAL-X"}],
    "formats": ["exfat"],
    "suites": [{"suite": "disktester", "quick": true}]
})";

inline const std::string two_slots = R"({
    "mediarig_plan": 1, "name": "two slots",
    "media": [{"slot": 1}, {"slot": 2}],
    "formats": ["exfat"],
    "suites": [{"suite": "disktester", "quick": true}]
})";

inline const std::string two_sticks = R"({
    "mediarig_plan": 1, "name": "two sticks",
    "media": [{"name": "x", "path": "/dev/sdx", "confirm": "SERIAL-X"},
              {"name": "y", "path": "/dev/sdy", "confirm": "SERIAL-Y"}],
    "formats": ["exfat", "apfs"],
    "suites": [{"suite": "disktester", "quick": true}],
    "on_failure": "next_step"
})";

} // namespace mediarig::campaign

// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests of several media in parallel, and of schedules that depend on measured values.
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "host/campaign/schedule.hpp"
#include "tests/campaign/campaign_fixture.hpp"

using namespace mediarig;
using namespace mediarig::campaign;
using How = StepEnded::How;

namespace {

std::string sticks(std::size_t count, std::size_t lanes, const std::string& suite) {
    std::string media;
    for (std::size_t i = 1; i <= count; ++i)
        media +=
            fmt::format(R"({}{{"name": "s{}", "path": "/dev/sd{}", "confirm": "S{}"}})", i > 1 ? "," : "", i, i, i);
    return fmt::format(R"({{"mediarig_plan": 1, "name": "lanes", "lanes": {}, "media": [{}], "formats": ["exfat"],
                           "suites": [{}]}})",
                       lanes, media, suite);
}

const std::string sweep = R"({"suite": "disktester", "quick": true})";
const std::string verify = R"({"suite": "verify"})";

struct ManySticks : CampaignFixture {
    explicit ManySticks(std::size_t count) {
        for (std::size_t i = 1; i <= count; ++i) {
            const std::string node = fmt::format("/dev/sd{}", i);
            link.media[node] = stick(node, fmt::format("S{}", i));
        }
        watch = [this](const SessionEvent& event) {
            if (const auto* begun = std::get_if<StepStarted>(&event.body)) {
                at_work.insert(begun->medium);
                if (begun->step.kind == plan::StepKind::run) running.insert(begun->medium);
            }
            if (const auto* ended = std::get_if<StepEnded>(&event.body);
                ended && ended->how != How::skipped && ended->how != How::not_begun) {
                const std::string name = fmt::format("s{}", ended->step.medium + 1);
                at_work.erase(name);
                running.erase(name);
            }
            most_at_work = std::max(most_at_work, at_work.size());
            most_running = std::max(most_running, running.size());
        };
    }
    std::set<std::string> at_work, running;
    std::size_t most_at_work{}, most_running{};
};

/// Records by device, so that the order of the media does not matter.
std::map<std::string, std::string> record_of(const store::MemoryStore& store) {
    std::map<std::string, std::string> told;
    for (const store::DeviceView& device : store.views.at("c1").devices) {
        std::string& text = told[device.device.key];
        for (const store::PassView& pass : device.passes) {
            text += fmt::format("{} {}:", pass.pass.id, pass.pass.position);
            for (const workload::CellResult& cell : pass.cells) text += " " + cell.cell.id;
            text += pass.end ? ";" : "?";
        }
        text += device.verdict ? measure::name_of(device.verdict->grade) : "no verdict";
    }
    return told;
}

/// Repeats the plan's last group until three passes have measured the slowest cell, at most `most` times in total.
class RepeatUntilThree final : public Schedule {
public:
    RepeatUntilThree(const plan::Plan& plan, std::size_t medium) : group_(plan::groups_of(plan, medium).front()) {}
    std::optional<plan::StepGroup> next(const MediumResults& tested) override {
        if (tested.passes.size() >= 3 || given_ == 6) return std::nullopt;
        ++given_;
        plan::StepGroup group = group_;
        for (plan::Step& step : group.steps) {
            const auto renamed = [&](std::string& key) {
                if (!key.empty()) key.replace(key.find(".r1."), 4, fmt::format(".r{}.", given_));
            };
            renamed(step.key);
            renamed(step.pass);
            step.repeat = given_;
        }
        return group;
    }
    std::string depends_on_results() const override { return "the number of repeats"; }

private:
    plan::StepGroup group_;
    std::uint32_t given_{};
};

} // namespace

TEST_CASE("four lanes produce the same records as one lane") {
    ManySticks one(4), four(4);
    const auto alone = one.run(plan_of(sticks(4, 1, sweep)));
    const auto beside = four.run(plan_of(sticks(4, 4, sweep)));
    REQUIRE(alone);
    REQUIRE(beside);
    CHECK(exit_status(*beside) == exit_status(*alone));
    CHECK(record_of(four.store) == record_of(one.store));
    CHECK(one.most_at_work == 1);
    CHECK(four.most_at_work > 1);
}

TEST_CASE("sweeps on one bus run one at a time, and verifications run in parallel") {
    ManySticks sweeps(3), verifications(3);
    sweeps.processors = verifications.processors = 8;
    verifications.link.held.insert("run");
    verifications.watch = [&, count = verifications.watch](const SessionEvent& event) {
        count(event);
        if (verifications.running.size() == 3)
            boost::asio::post(verifications.io, [&] { verifications.link.release(); });
    };
    REQUIRE(sweeps.run(plan_of(sticks(3, 3, sweep))));
    REQUIRE(verifications.run(plan_of(sticks(3, 3, verify))));
    CHECK(sweeps.most_running == 1);
    CHECK(verifications.most_running == 3);
}

TEST_CASE("a hanging medium does not delay the records of other media") {
    ManySticks campaign(3);
    campaign.link.held.insert("mount");
    // The test releases the media once all three hang. If a medium waited for another one, this test would never end.
    boost::asio::co_spawn(
        campaign.io,
        [&]() -> boost::asio::awaitable<void> {
            boost::asio::steady_timer timer(campaign.io);
            const auto is_mount = [](const auto& call) { return call.method == "mount"; };
            while (std::count_if(campaign.link.calls.begin(), campaign.link.calls.end(), is_mount) < 3) {
                timer.expires_after(std::chrono::milliseconds(1));
                co_await timer.async_wait(boost::asio::use_awaitable);
            }
            campaign.link.release();
        },
        boost::asio::detached);
    const auto summary = campaign.run(plan_of(sticks(3, 3, verify)));
    REQUIRE(summary);
    CHECK(summary->grades.size() == 3);
    for (const store::DeviceView& device : campaign.store.views["c1"].devices) {
        REQUIRE(device.passes.size() == 1);
        CHECK(device.passes[0].end);
        CHECK(device.untested.empty());
    }
}

TEST_CASE("a failed medium is skipped in its lane, and the other media reach their verdicts") {
    ManySticks campaign(4);
    campaign.link.answers["format"] = [&](const nlohmann::json& params, const auto&) -> Result<nlohmann::json> {
        if (params["claim"] == 2) return fail(Errc::io_failed, "the medium does not answer");
        return media::to_json(media::FormatReport{
            .fs = media::FileSystem::exfat, .tool = "mkfs.fake", .tool_version = "1.0", .usable = 1_GiB});
    };
    const auto summary = campaign.run(plan_of(sticks(4, 2, sweep)));
    REQUIRE(summary);
    std::size_t passed = 0;
    for (const MediumGrade& each : summary->grades) passed += each.grade == measure::Grade::measured ? 1 : 0;
    CHECK(passed == 3);
    CHECK(campaign.link.open_claims() == 0);
}

TEST_CASE("a failure that ends the campaign interrupts every lane and leaves no claim") {
    ManySticks campaign(3);
    auto plan = plan_of(sticks(3, 3, verify));
    plan.on_failure = plan::OnFailure::stop;
    campaign.link.held.insert("run");
    campaign.link.answers["check"] = [](const nlohmann::json&, const auto&) -> Result<nlohmann::json> {
        return fail(Errc::io_failed, "it cannot be checked");
    };
    campaign.watch = [&, count = campaign.watch, let = false](const SessionEvent& event) mutable {
        count(event);
        if (campaign.running.size() < 3 || let) return;
        let = true;
        boost::asio::post(campaign.io, [&] { campaign.link.release(); });
    };
    const auto summary = campaign.run(plan);
    REQUIRE(summary);
    CHECK(summary->state == store::CampaignState::interrupted);
    CHECK(summary->detail == "it cannot be checked");
    CHECK(campaign.link.open_claims() == 0);
    CHECK(campaign.link.open_mounts() == 0);
}

TEST_CASE("after a stop at any event no lane holds a claim, and the resumed campaign produces the same record") {
    ManySticks whole(3);
    const auto plan = plan_of(sticks(3, 3, sweep));
    REQUIRE(whole.run(plan));
    const std::size_t moments = whole.events.size();
    for (std::size_t at = 1; at < moments; at += 3) {
        CAPTURE(at);
        ManySticks first(3);
        first.watch = [&](const SessionEvent&) {
            if (first.events.size() == at + 1) first.stop.request("interrupted from the keyboard");
        };
        REQUIRE(first.run(plan));
        CHECK(first.link.open_claims() == 0);
        ManySticks second(3);
        second.store = first.store;
        const auto resumed = second.run(plan, true);
        REQUIRE(resumed);
        CHECK(exit_status(*resumed) == 0);
        for (const store::DeviceView& device : second.store.views["c1"].devices) {
            CHECK(device.passes.size() == 1);
            CHECK(device.verdict);
        }
    }
}

TEST_CASE("a schedule adds repeats that depend on measured values, and a resumed campaign adds the same repeats") {
    const auto make = [](const plan::Plan& plan, std::size_t medium) -> std::unique_ptr<Schedule> {
        return std::make_unique<RepeatUntilThree>(plan, medium);
    };
    CampaignFixture campaign;
    campaign.schedule = make;
    REQUIRE(campaign.run(plan_of(one_stick)));
    CHECK(campaign.device(0).passes.size() == 3);

    CampaignFixture first;
    first.schedule = make;
    first.watch = [&](const SessionEvent& event) {
        const auto* step = std::get_if<StepEnded>(&event.body);
        if (step && step->step.key == "m0.r2.exfat.check") first.stop.request("interrupted from the keyboard");
    };
    const auto begun = first.run(plan_of(one_stick));
    INFO((begun ? "" : begun.error().detail));
    REQUIRE(begun);
    CampaignFixture second;
    second.schedule = make;
    second.store = first.store;
    const auto resumed = second.run(plan_of(one_stick), true);
    REQUIRE(resumed);
    CHECK(resumed->state == store::CampaignState::finished);
    CHECK(second.device(0).passes.size() == 3);
    const auto done = second.ended(How::done);
    CHECK(std::count(done.begin(), done.end(), "m0.r1.exfat.disktester.run") == 0);
    CHECK(std::count(done.begin(), done.end(), "m0.r3.exfat.disktester.run") == 1);
}

namespace {

/// Two sticks are measured twice by long transfers, at 20 MB/s by default. If both passes of the second repeat may run
/// in parallel, none ends before both are running.
struct SideBySide : ManySticks {
    explicit SideBySide(double ceiling) : ManySticks(2) {
        processors = 8;
        uplinks.ceilings["unknown bus"] = ceiling;
        watch = [this, count = watch](const SessionEvent& event) {
            count(event);
            const auto* begun = std::get_if<StepStarted>(&event.body);
            if (begun == nullptr || begun->step.kind != plan::StepKind::run || begun->step.repeat != 2) return;
            if (may_meet && running.size() < 2) link.held.insert("run");
            if (running.size() == 2) boost::asio::post(io, [this] { link.release(); });
        };
    }
    [[nodiscard]] Result<Summary> measured() {
        auto plan = plan_of(sticks(2, 2, R"({"suite": "dd-direct", "quick": true})"));
        plan.repeats = 2;
        return run(plan);
    }
    /// Returns the findings about media measured in parallel, with their pass. Omits findings that name a format step
    /// of the neighbour, because its moment is random.
    [[nodiscard]] std::vector<std::string> told() {
        std::vector<std::string> lines;
        for (const store::DeviceView& device : store.views.at("c1").devices)
            for (const store::PassView& pass : device.passes)
                for (const measure::Finding& finding : pass.findings)
                    if (finding.kind == measure::FindingKind::beside_others &&
                        finding.detail.find(".format)") == std::string::npos)
                        lines.push_back(
                            fmt::format("{}: {} {}", finding.pass, name_of(finding.severity), finding.detail));
        std::sort(lines.begin(), lines.end());
        return lines;
    }
    [[nodiscard]] std::size_t runs() const {
        return static_cast<std::size_t>(std::ranges::count(link.calls, "run", &agent::FakeAgentLink::Call::method));
    }
    bool may_meet{true};
};

} // namespace

TEST_CASE("media of known rates are measured in parallel, and each pass names its neighbours") {
    SideBySide two(60e6);
    REQUIRE(reason(two.measured()) == "success");
    CHECK(two.most_running == 2);
    CHECK(two.told() ==
          std::vector<std::string>{
              "m0.r2.exfat.dd-direct: note s2 used the same uplink (m1.r2.exfat.dd-direct.run) in all 2 cells",
              "m1.r2.exfat.dd-direct: note s1 used the same uplink (m0.r2.exfat.dd-direct.run) in all 2 cells"});
    CHECK(two.runs() == 4);
}

TEST_CASE("media whose total rate would exceed 70 % of their uplink are measured one at a time") {
    SideBySide two(55e6);
    two.may_meet = false;
    REQUIRE(reason(two.measured()) == "success");
    CHECK(two.most_running == 1);
    CHECK(two.told().empty());
}

TEST_CASE("audited passes are repeated alone and a difference gives a warning") {
    SideBySide two(60e6);
    two.uplinks.audited = 1;
    two.link.measure = [&](const workload::CellSpec& cell) {
        workload::CellResult result = agent::FakeAgentLink::default_measure(cell);
        // In the repetitions alone, reading is faster by a fifth.
        if (two.runs() > 4 && !workload::writes(cell.access)) result.elapsed = result.elapsed * 5 / 6;
        return result;
    };
    REQUIRE(reason(two.measured()) == "success");
    CHECK(two.runs() == 6);
    const auto told = two.told();
    REQUIRE(told.size() == 4);
    CHECK_THAT(told[1], ContainsSubstring("m0.r2.exfat.dd-direct: warning repeated alone: dd_direct.seq_read"));
    CHECK_THAT(told[1], ContainsSubstring("gives 20.0 MB/s in parallel and 24.0 MB/s alone"));
    CHECK_THAT(told[1], ContainsSubstring("use fewer lanes"));
}

TEST_CASE("passes of a comparison are measured alone, regardless of the capacity of the uplink") {
    ManySticks two(2);
    two.processors = 8;
    two.uplinks.ceilings["unknown bus"] = 1e12;
    const auto plan = plan_of(R"({"mediarig_plan": 1, "name": "compared", "lanes": 2,
        "media": [{"name": "s1", "path": "/dev/sd1", "confirm": "S1"}, {"name": "s2", "path": "/dev/sd2", "confirm": "S2"}],
        "compare": {"formats": ["exfat", "fat32"], "blocks": 4}, "suites": [{"suite": "dd-direct", "quick": true}]})");
    REQUIRE(reason(two.run(plan)) == "success");
    CHECK(two.most_running == 1);
}

TEST_CASE("simultaneous passes measure the capacity of an uplink, and the campaign returns it") {
    ManySticks two(2);
    two.uplinks.measure = true;
    two.link.held.insert("run");
    two.watch = [&, count = two.watch](const SessionEvent& event) {
        count(event);
        if (two.running.size() == 2) boost::asio::post(two.io, [&] { two.link.release(); });
    };
    const auto summary = two.run(plan_of(sticks(2, 2, R"({"suite": "dd-direct", "quick": true})")));
    REQUIRE(reason(summary) == "success");
    CHECK(two.most_running == 2);
    // The test's clock does not advance: no rate can be computed.
    CHECK(summary->uplinks.empty());
}

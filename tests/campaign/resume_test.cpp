// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/resume.hpp"

#include "tests/campaign/campaign_fixture.hpp"

using namespace mediarig;
using namespace mediarig::campaign;
using How = StepEnded::How;
using store::StepState;

namespace {

/// Returns the journal of a campaign that was interrupted before the step with this key.
Journal cut_before(const std::vector<plan::Step>& steps, const std::string& key) {
    Journal journal;
    for (const plan::Step& step : steps) {
        if (step.key == key) break;
        journal[step.key] = {.key = step.key, .state = StepState::done};
    }
    return journal;
}

std::vector<std::string> left(const std::vector<plan::Step>& steps, const Journal& journal) {
    const auto skip = done_before(steps, journal);
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (!skip[i]) keys.push_back(steps[i].key);
    return keys;
}

} // namespace

TEST_CASE("an empty journal leaves all steps to do, and a complete journal leaves no step") {
    const auto steps = plan::unroll(plan_of(two_sticks));
    CHECK(left(steps, {}).size() == steps.size());
    CHECK(left(steps, cut_before(steps, "no such step")).empty());
}

TEST_CASE("a format with an unfinished pass is made again, and its finished passes are not repeated") {
    auto plan = plan_of(one_stick);
    plan.suites.push_back(plan.suites.front());
    plan.suites.back().request.name = "quickbench";
    const auto steps = plan::unroll(plan);
    const auto keys = left(steps, cut_before(steps, "m0.r1.exfat.quickbench.run"));
    CHECK(keys == std::vector<std::string>{"m0.identify", "m0.claim", "m0.r1.exfat.format", "m0.r1.exfat.mount",
                                           "m0.r1.exfat.quickbench.run", "m0.r1.exfat.unmount", "m0.r1.exfat.check",
                                           "m0.release", "m0.verdict"});
}

TEST_CASE("a finished format or medium is not touched") {
    const auto steps = plan::unroll(plan_of(two_sticks));
    const auto keys = left(steps, cut_before(steps, "m1.r1.apfs.format"));
    CHECK(keys.front() == "m1.identify");
    CHECK(std::count(keys.begin(), keys.end(), "m1.r1.exfat.format") == 0);
    CHECK(std::count(keys.begin(), keys.end(), "m1.r1.apfs.format") == 1);
}

TEST_CASE("a failed step is repeated") {
    const auto steps = plan::unroll(plan_of(one_stick));
    auto journal = cut_before(steps, "no such step");
    journal["m0.r1.exfat.disktester.run"].state = StepState::failed;
    const auto keys = left(steps, journal);
    CHECK(std::count(keys.begin(), keys.end(), "m0.r1.exfat.disktester.run") == 1);
    CHECK(std::count(keys.begin(), keys.end(), "m0.r1.exfat.format") == 1);
}

TEST_CASE("losing the agent at any call loses no record and repeats no finished step") {
    const auto plan = plan_of(two_sticks);
    std::size_t calls = 0;
    {
        CampaignFixture whole;
        REQUIRE(whole.run(plan));
        calls = whole.link.calls.size();
    }
    REQUIRE(calls > 10);
    for (std::size_t at = 1; at < calls; ++at) {
        CAPTURE(at);
        CampaignFixture first;
        first.link.lose_at(at);
        const auto broken = first.run(plan);
        REQUIRE(reason(broken) == "success");
        // The last calls only release a medium that was already tested.
        if (broken->state == store::CampaignState::finished) continue;
        CHECK(broken->state == store::CampaignState::interrupted);
        CHECK(exit_status(*broken) == 3);

        CampaignFixture second;
        second.store = first.store;
        const auto resumed = second.run(plan, true);
        REQUIRE(reason(resumed) == "success");
        CHECK(resumed->state == store::CampaignState::finished);
        CHECK(resumed->grades.size() == 2);
        CHECK(exit_status(*resumed) == 0);
        std::size_t passes = 0;
        for (const auto& device : second.store.views["c1"].devices)
            for (const auto& pass : device.passes) {
                CAPTURE(pass.pass.id);
                ++passes;
                CHECK(pass.end);
                std::set<std::string> ids;
                for (const auto& cell : pass.cells) ids.insert(cell.cell.id);
                CHECK(ids.size() == pass.cells.size());
                CHECK(pass.cells.size() == pass.pass.job.as<workload::SweepJob>()->cells.size());
            }
        CHECK(passes == 4);
        // A format that was made twice is listed once, in the order of the plan.
        std::vector<std::string> made;
        for (const auto& device : second.store.views["c1"].devices)
            for (const auto& format : device.made) {
                made.push_back(format.step);
                CHECK(format.seen);
            }
        CHECK(made == std::vector<std::string>{"m0.r1.exfat.format", "m0.r1.apfs.format", "m1.r1.exfat.format",
                                               "m1.r1.apfs.format"});
    }
}

TEST_CASE("a check of a volume that was made again reports that the measured volume was not checked") {
    const auto plan = plan_of(one_stick);
    CampaignFixture first;
    first.watch = [&](const SessionEvent& event) {
        const auto* started = std::get_if<StepStarted>(&event.body);
        if (started != nullptr && started->step.key == "m0.r1.exfat.check") first.stop.request("stopped by the test");
    };
    REQUIRE(first.run(plan)->state == store::CampaignState::interrupted);
    CampaignFixture second;
    second.store = first.store;
    REQUIRE(second.run(plan, true)->state == store::CampaignState::finished);
    std::vector<std::string> notes;
    for (const auto& each : second.store.views["c1"].devices.at(0).findings)
        if (each.kind == measure::FindingKind::resumed) notes.push_back(each.detail);
    CHECK(notes == std::vector<std::string>{"exfat: interrupted between measuring and checking; a newly formatted "
                                            "volume was checked, but not the measured volume"});
}

TEST_CASE("a resumed campaign refuses another medium") {
    const auto plan = plan_of(one_stick);
    CampaignFixture first;
    first.link.lose_at(4);
    REQUIRE(first.run(plan));
    CampaignFixture second;
    second.store = first.store;
    second.link.media["/dev/sdx"] = stick("/dev/sdx", "ANOTHER");
    const auto resumed = second.run(plan, true);
    REQUIRE(reason(resumed) == "success");
    CHECK(second.ended(How::failed) == std::vector<std::string>{"m0.identify"});
    CHECK(second.actions() == std::vector<std::string>{"identify"});
    CHECK(resumed->grades.empty());
    CHECK(exit_status(*resumed) == 4);
    REQUIRE(second.store.views["c1"].devices.size() == 1);
    CHECK(second.device(0).untested.size() == 1);

    INFO("the refusal is repeated until the first medium is back");
    CampaignFixture third;
    third.store = second.store;
    third.link.media["/dev/sdx"] = stick("/dev/sdx", "ANOTHER");
    REQUIRE(reason(third.run(plan, true)) == "success");
    CHECK(third.ended(How::failed) == std::vector<std::string>{"m0.identify"});
    CampaignFixture last;
    last.store = third.store;
    const auto finished = last.run(plan, true);
    REQUIRE(reason(finished) == "success");
    CHECK(finished->state == store::CampaignState::finished);
    CHECK(last.store.views["c1"].devices.size() == 1);
    CHECK(last.device(0).untested.empty());
    CHECK(exit_status(*finished) == 0);
}

TEST_CASE("a resumed campaign refuses a new file with the inode number of the old one") {
    const auto plan = plan_of(one_stick);
    const auto with_file = [](CampaignFixture& fixture, std::uint64_t born_ns) {
        fixture.link.media["/dev/sdx"].file = media::FileIdentity{.device = 66306, .inode = 12};
        fixture.link.media["/dev/sdx"].file_born_ns = born_ns;
    };
    CampaignFixture first;
    with_file(first, 1'000);
    first.link.lose_at(4);
    REQUIRE(first.run(plan));
    CampaignFixture second;
    second.store = first.store;
    with_file(second, 2'000);
    const auto resumed = second.run(plan, true);
    REQUIRE(reason(resumed) == "success");
    CHECK(second.ended(How::failed) == std::vector<std::string>{"m0.identify"});
    CHECK(exit_status(*resumed) == 4);
    CampaignFixture third;
    third.store = second.store;
    with_file(third, 1'000);
    CHECK(third.run(plan, true)->state == store::CampaignState::finished);
}

namespace {

/// Sets an inspector that reports media with the file system `holding`. If `holding` is empty, the inspection fails.
void inspects(CampaignFixture& campaign, const std::string& holding) {
    campaign.link.answers["inspect"] = [holding](const auto&, const auto&) -> Result<nlohmann::json> {
        if (holding.empty()) return fail(Errc::io_failed, "a read failed");
        return media::to_json(media::InspectReport{
            .size = 4_GiB, .scheme = "none", .volumes = {{.length = 4_GiB, .file_system = holding}}});
    };
}

std::string found_on(CampaignFixture& campaign) {
    const auto& found = campaign.device(0).device.found;
    return found ? found->volumes.at(0).file_system : "nothing said";
}

/// Recorded contents of the medium after a resume in the middle of its only pass.
std::string found_after_resuming(const std::string& at_first, const std::string& later) {
    const auto plan = plan_of(one_stick);
    CampaignFixture first;
    inspects(first, at_first);
    first.link.answers["run"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
        return fail(Errc::agent_lost, "the agent ended");
    };
    REQUIRE(first.run(plan));
    REQUIRE(first.device(0).passes.size() == 1);
    CampaignFixture second;
    second.store = first.store;
    inspects(second, later);
    REQUIRE(reason(second.run(plan, true)) == "success");
    return found_on(second);
}

} // namespace

TEST_CASE("the contents before the first write stay recorded over any number of resumes") {
    CHECK(found_after_resuming("ntfs", "exfat") == "ntfs");
    CHECK(found_after_resuming("ntfs", "") == "ntfs");
}

TEST_CASE("a medium that could not be inspected before the first write records no former contents") {
    CHECK(found_after_resuming("", "exfat") == "nothing said");
}

TEST_CASE("a resumed campaign inspects a medium to which nothing was written") {
    const auto plan = plan_of(one_stick);
    CampaignFixture first;
    inspects(first, "");
    first.link.answers["claim"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
        return fail(Errc::agent_lost, "the agent ended");
    };
    REQUIRE(first.run(plan));
    CampaignFixture second;
    second.store = first.store;
    inspects(second, "ntfs");
    REQUIRE(reason(second.run(plan, true)) == "success");
    CHECK(found_on(second) == "ntfs");
}

TEST_CASE("a medium that was only claimed and released is inspected on resume") {
    const auto plan = plan_of(one_stick);
    CampaignFixture first;
    inspects(first, "");
    first.watch = [&](const SessionEvent& event) {
        const auto* const ended = std::get_if<StepEnded>(&event.body);
        if (ended != nullptr && ended->step.kind == plan::StepKind::claim) first.stop.request("stopped by the test");
    };
    REQUIRE(first.run(plan));
    REQUIRE(first.device(0).passes.empty());
    CampaignFixture second;
    second.store = first.store;
    inspects(second, "ntfs");
    REQUIRE(reason(second.run(plan, true)) == "success");
    CHECK(found_on(second) == "ntfs");
}

TEST_CASE("if a plan keeps the contents, a resumed campaign mounts the current volume, not the recorded volume") {
    const auto plan = plan_of(R"({"mediarig_plan": 1, "media": [{"name": "x", "path": "/dev/sdx"}],
        "formats": ["keep"], "suites": [{"suite": "disktester", "quick": true}]})");
    CampaignFixture first;
    inspects(first, "exfat");
    first.link.answers["run"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
        return fail(Errc::agent_lost, "the agent ended");
    };
    REQUIRE(first.run(plan));
    CampaignFixture second;
    second.store = first.store;
    inspects(second, "fat32");
    REQUIRE(reason(second.run(plan, true)) == "success");
    CHECK(found_on(second) == "exfat");
    const auto& calls = second.link.calls;
    const auto mount =
        std::find_if(calls.begin(), calls.end(), [](const auto& call) { return call.method == "mount"; });
    REQUIRE(mount != calls.end());
    CHECK(mount->params.at("fs") == "fat32");
}

TEST_CASE("the report after a format is stored only if the same medium is still at its device path") {
    for (const bool by_serial : {true, false}) {
        CampaignFixture campaign;
        campaign.link.media["/dev/sdx"].disk_sequence = 7;
        campaign.link.answers["inspect"] = [&](const auto&, const auto&) -> Result<nlohmann::json> {
            const bool formatted = std::any_of(campaign.link.calls.begin(), campaign.link.calls.end(),
                                               [](const auto& call) { return call.method == "format"; });
            media::Medium& there = campaign.link.media["/dev/sdx"];
            if (formatted && by_serial) there.serial = "ANOTHER";
            if (formatted) there.disk_sequence = by_serial ? 7 : 8;
            return media::to_json(media::InspectReport{.size = 4_GiB, .scheme = "none", .volumes = {}});
        };
        REQUIRE(reason(campaign.run(plan_of(one_stick))) == "success");
        CHECK_FALSE(campaign.device(0).made.at(0).seen);
        CHECK(std::any_of(campaign.events.begin(), campaign.events.end(), [](const SessionEvent& event) {
            const auto* ended = std::get_if<StepEnded>(&event.body);
            return ended != nullptr && ended->step.kind == plan::StepKind::format &&
                   ended->detail.find("; not inspected: /dev/sdx is another medium now (") != std::string::npos;
        }));
    }
    CampaignFixture undisturbed;
    REQUIRE(reason(undisturbed.run(plan_of(one_stick))) == "success");
    CHECK(undisturbed.device(0).made.at(0).seen);
}

TEST_CASE("if the store fails at any moment, the campaign ends and releases every claim") {
    const auto plan = plan_of(one_stick);
    std::size_t calls = 0;
    {
        CampaignFixture whole;
        REQUIRE(whole.run(plan));
        calls = whole.store.log.size();
    }
    for (std::size_t at = 0; at < calls; ++at) {
        CAPTURE(at);
        CampaignFixture campaign;
        campaign.store.fails_from = at;
        const auto summary = campaign.run(plan);
        CHECK(campaign.link.open_claims() == 0);
        if (summary)
            CHECK(exit_status(*summary) == 3);
        else
            CHECK(summary.error().code == Errc::store_failed);
    }
}

TEST_CASE("a stop at any event releases the medium and the campaign resumes to its end") {
    const auto plan = plan_of(one_stick);
    std::size_t count = 0;
    {
        CampaignFixture whole;
        REQUIRE(whole.run(plan));
        count = whole.events.size();
    }
    for (std::size_t at = 0; at + 1 < count; ++at) {
        CAPTURE(at);
        CampaignFixture campaign;
        campaign.watch = [&](const SessionEvent&) {
            if (campaign.events.size() == at + 1) campaign.stop.request("interrupted from the keyboard");
        };
        const auto summary = campaign.run(plan);
        REQUIRE(reason(summary) == "success");
        CHECK(campaign.link.open_claims() == 0);
        CHECK(campaign.link.open_mounts() == 0);
        CHECK(summary->state == store::CampaignState::interrupted);
        CHECK(summary->detail == "interrupted from the keyboard");

        CampaignFixture second;
        second.store = campaign.store;
        const auto resumed = second.run(plan, true);
        REQUIRE(reason(resumed) == "success");
        CHECK(exit_status(*resumed) == 0);
    }
}

TEST_CASE("a resumed campaign is recorded as running until its new end") {
    const auto plan = plan_of(one_stick);
    CampaignFixture first;
    first.watch = [&](const SessionEvent& event) {
        if (std::holds_alternative<StepEnded>(event.body)) first.stop.request("stopped by the test");
    };
    REQUIRE(first.run(plan));
    const store::CampaignRecord interrupted = first.store.campaigns()->at(0);
    REQUIRE(interrupted.state == store::CampaignState::interrupted);
    CampaignFixture second;
    second.store = first.store;
    std::optional<store::CampaignRecord> meanwhile;
    second.watch = [&](const SessionEvent& event) {
        if (std::holds_alternative<CampaignStarted>(event.body)) meanwhile = second.store.campaigns()->at(0);
    };
    REQUIRE(reason(second.run(plan, true)) == "success");
    REQUIRE(meanwhile);
    CHECK(meanwhile->state == store::CampaignState::running);
    CHECK_FALSE(meanwhile->ended);
    CHECK(meanwhile->started == interrupted.started);
    CHECK(second.store.campaigns()->at(0).state == store::CampaignState::finished);
}

TEST_CASE("the steps of a medium that was not reached are recorded as not begun, not as skipped") {
    CampaignFixture campaign;
    campaign.watch = [&](const SessionEvent& event) {
        const auto* started = std::get_if<StepStarted>(&event.body);
        if (started != nullptr && started->step.kind == plan::StepKind::run) campaign.stop.request("enough");
    };
    REQUIRE(campaign.run(plan_of(two_sticks)));
    CHECK(campaign.ended(How::skipped).empty());
    const auto not_begun = campaign.ended(How::not_begun);
    CHECK(std::ranges::count(not_begun, "m0.release") == 0);
    CHECK(std::ranges::count(not_begun, "m1.release") == 1);
    CHECK(campaign.link.open_claims() == 0);
}

TEST_CASE("a stop interrupts the running step") {
    CampaignFixture campaign;
    campaign.link.held.insert("run");
    campaign.watch = [&](const SessionEvent& event) {
        const auto* step = std::get_if<StepStarted>(&event.body);
        if (step != nullptr && step->step.kind == plan::StepKind::run)
            boost::asio::post(campaign.io, [&] { campaign.stop.request("interrupted from the keyboard"); });
    };
    const auto summary = campaign.run(plan_of(one_stick));
    REQUIRE(reason(summary) == "success");
    CHECK(campaign.ended(How::cancelled) == std::vector<std::string>{"m0.r1.exfat.disktester.run"});
    CHECK(campaign.link.open_claims() == 0);
    CHECK(summary->state == store::CampaignState::interrupted);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/// Work that could not be done stays open until it is done or the user abandons the campaign.
#include "host/campaign/run/abandon.hpp"
#include "tests/campaign/campaign_fixture.hpp"

using namespace mediarig;
using namespace mediarig::campaign;

namespace {

void refuse_claims(CampaignFixture& campaign, Errc code, const std::string& why) {
    campaign.link.answers["claim"] = [code, why](const auto&, const auto&) -> Result<nlohmann::json> {
        return fail(code, why);
    };
}

} // namespace

TEST_CASE("a medium in use keeps its campaign open over any number of resumes until the medium can be tested") {
    const auto plan = plan_of(one_stick);
    store::MemoryStore store;
    for (const bool resumed : {false, true, true}) {
        CampaignFixture held;
        held.store = store;
        refuse_claims(held, Errc::refused, "/dev/sdx is held by process 7: close it");
        const auto summary = held.run(plan, resumed);
        REQUIRE(reason(summary) == "success");
        CHECK(summary->state == store::CampaignState::interrupted);
        CHECK(summary->incomplete);
        CHECK(summary->detail == "/dev/sdx is held by process 7: close it");
        CHECK(summary->grades.empty());
        CHECK(exit_status(*summary) == 4);
        // A fault of the host gives no verdict. The remaining work is reported.
        CHECK_FALSE(held.device(0).verdict);
        CHECK(held.device(0).untested.size() == 1);
        store = held.store;
    }
    CampaignFixture free;
    free.store = store;
    const auto summary = free.run(plan, true);
    REQUIRE(reason(summary) == "success");
    CHECK(summary->state == store::CampaignState::finished);
    CHECK(summary->detail.empty());
    CHECK(exit_status(*summary) == 0);
    CHECK(free.device(0).untested.empty());
    CHECK(free.device(0).verdict->grade == measure::Grade::measured);
}

TEST_CASE("a missing tool gives the medium no verdict, and a resumed campaign repeats the step") {
    for (const Errc code : {Errc::no_driver, Errc::host_fault, Errc::no_permission, Errc::bad_request}) {
        CampaignFixture lacking;
        refuse_claims(lacking, code, "not here");
        const auto summary = lacking.run(plan_of(one_stick));
        REQUIRE(reason(summary) == "success");
        CHECK(summary->incomplete);
        // The exit status equals that of a single command with this error.
        CHECK(exit_status(*summary) == mediarig::exit_status(code));
        CHECK_FALSE(lacking.device(0).verdict);
    }
}

TEST_CASE("a fault that was found gives a verdict despite missing tools, and the record is read only once") {
    const auto plan = plan_of(R"({"mediarig_plan": 1, "name": "two formats",
        "media": [{"name": "x", "path": "/dev/sdx", "confirm": "SERIAL-X"}], "formats": ["exfat", "apfs"],
        "suites": [{"suite": "disktester", "quick": true}], "on_failure": "next_step"})");
    for (const bool clean : {false, true}) {
        CampaignFixture lacking;
        lacking.link.answers["check"] = [clean](const auto&, const auto&) -> Result<nlohmann::json> {
            return media::to_json(media::CheckReport{
                .tool = "fsck.exfat", .tool_version = "1.2.0", .clean = clean, .said = {"bad checksum"}});
        };
        lacking.link.answers["format"] = [formats = 0](const auto&, const auto&) mutable -> Result<nlohmann::json> {
            if (++formats == 2) return fail(Errc::no_driver, "the kernel has no driver for it");
            return media::to_json(media::FormatReport{
                .fs = media::FileSystem::exfat, .tool = "mkfs.fake", .tool_version = "1.0", .usable = 1_GiB});
        };
        const auto summary = lacking.run(plan);
        REQUIRE(reason(summary) == "success");
        CHECK(summary->incomplete);
        CHECK(lacking.device(0).verdict.has_value() == !clean);
        if (!clean) CHECK(lacking.device(0).verdict->grade == measure::Grade::fail);
        CHECK(lacking.store.loaded_devices == 1);
    }
}

TEST_CASE("a failed medium is INCONCLUSIVE and can be tested again") {
    CampaignFixture broken;
    broken.link.answers["format"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
        return fail(Errc::io_failed, "mkfs.exfat: write failed");
    };
    const auto summary = broken.run(plan_of(one_stick));
    REQUIRE(reason(summary) == "success");
    CHECK(summary->incomplete);
    CHECK(exit_status(*summary) == 3);
    REQUIRE(broken.device(0).verdict);
    CHECK(broken.device(0).verdict->grade == measure::Grade::inconclusive);
}

TEST_CASE("a driver that exits during a run leaves its format to be repeated and skips the check") {
    const auto plan = plan_of(R"({"mediarig_plan": 1, "name": "two suites",
        "media": [{"name": "x", "path": "/dev/sdx", "confirm": "SERIAL-X"}], "formats": ["exfat"],
        "suites": [{"suite": "disktester", "quick": true}], "on_failure": "next_step"})");
    CampaignFixture first;
    first.link.answers["run"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
        return fail(Errc::host_fault, "exfat-fuse ended by signal 9");
    };
    const auto broken = first.run(plan);
    REQUIRE(reason(broken) == "success");
    CHECK(broken->incomplete);
    CHECK(first.actions() ==
          std::vector<std::string>{"identify", "claim", "format", "mount", "run", "unmount", "release"});
    CampaignFixture second;
    second.store = first.store;
    const auto resumed = second.run(plan, true);
    REQUIRE(reason(resumed) == "success");
    CHECK(exit_status(*resumed) == 0);
    CHECK(second.actions() ==
          std::vector<std::string>{"identify", "claim", "format", "mount", "run", "unmount", "check", "release"});
}

TEST_CASE("a medium that was absent and then appears has one record") {
    CampaignFixture first;
    first.link.media.erase("/dev/sdx");
    const auto absent = first.run(plan_of(one_stick));
    REQUIRE(reason(absent) == "success");
    CHECK(absent->incomplete);
    CampaignFixture second;
    second.store = first.store;
    const auto resumed = second.run(plan_of(one_stick), true);
    REQUIRE(reason(resumed) == "success");
    CHECK(exit_status(*resumed) == 0);
    CHECK(second.store.views["c1"].devices.size() == 1);
}

TEST_CASE("an earlier verdict becomes void if the campaign is interrupted during its remaining work") {
    const auto plan = plan_of(one_stick);
    CampaignFixture first;
    first.link.answers["run"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
        return fail(Errc::io_failed, "the medium does not answer");
    };
    REQUIRE(first.run(plan));
    REQUIRE(first.device(0).verdict);
    // The store accepts no writes from the verdict of the second attempt on.
    CampaignFixture second;
    second.store = first.store;
    second.watch = [&](const SessionEvent& event) {
        if (const auto* step = std::get_if<StepStarted>(&event.body))
            if (step->step.kind == plan::StepKind::verdict) second.store.fails_from = 0;
    };
    REQUIRE(second.run(plan, true));
    CampaignFixture third;
    third.store = second.store;
    third.store.fails_from.reset();
    const auto summary = third.run(plan, true);
    REQUIRE(reason(summary) == "success");
    CHECK(summary->state == store::CampaignState::finished);
    REQUIRE(third.device(0).verdict);
    CHECK(third.device(0).verdict->grade == measure::Grade::measured);
}

TEST_CASE("an abandoned campaign records untested steps, judges its media and is closed") {
    CampaignFixture held;
    refuse_claims(held, Errc::refused, "/dev/sdx is held");
    REQUIRE(held.run(plan_of(two_sticks)));
    const auto closed = abandon(held.store, "c1");
    REQUIRE(reason(closed) == "success");
    CHECK(closed->state == store::CampaignState::finished);
    REQUIRE(closed->grades.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(closed->grades[i].grade == measure::Grade::inconclusive);
        REQUIRE(held.device(i).verdict);
        std::string told;
        for (const measure::Untested& each : held.device(i).untested) told += each.key + ": " + each.why + "\n";
        const std::string medium = i == 0 ? "m0" : "m1";
        CHECK_THAT(told, ContainsSubstring(medium + ".r1.exfat.disktester: abandoned") &&
                             ContainsSubstring(medium + ".r1.apfs.disktester: abandoned"));
    }
    CHECK(held.store.views["c1"].campaign.state == store::CampaignState::finished);
    const auto again = abandon(held.store, "c1");
    REQUIRE_FALSE(again);
    CHECK(again.error() == Error{Errc::bad_request, "campaign c1 is closed already: no work is left"});
}

TEST_CASE("an abandoned campaign does not list finished formats as untested and keeps its end time") {
    CampaignFixture lacking;
    lacking.link.answers["mount"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
        return fail(Errc::no_driver, "no driver for exFAT");
    };
    REQUIRE(lacking.run(plan_of(one_stick)));
    const auto ended = lacking.store.views["c1"].campaign.ended;
    REQUIRE(ended);
    REQUIRE(abandon(lacking.store, "c1"));
    std::string told;
    for (const measure::Untested& each : lacking.device(0).untested) told += each.key + ": " + each.why + "\n";
    CHECK_THAT(told, ContainsSubstring("disktester: abandoned") && !ContainsSubstring(".format"));
    CHECK(lacking.store.views["c1"].campaign.ended == ended);
}

TEST_CASE("a store that accepts no more writes leaves the campaign open without a verdict") {
    CampaignFixture full;
    full.watch = [&](const SessionEvent& event) {
        if (std::holds_alternative<CellFinished>(event.body)) full.store.fails_from = 0;
    };
    const auto summary = full.run(plan_of(one_stick));
    REQUIRE(reason(summary) == "success");
    CHECK(summary->state != store::CampaignState::finished);
    CHECK(exit_status(*summary) == 3);
    CHECK_FALSE(full.device(0).verdict);
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/campaign/campaign_fixture.hpp"

using namespace mediarig;
using namespace mediarig::campaign;
using measure::Grade;
using store::CampaignState;
using How = StepEnded::How;
using Actions = std::vector<std::string>;

TEST_CASE("a campaign runs its steps in order from identify to verdict") {
    CampaignFixture campaign;
    const auto summary = campaign.run(plan_of(one_stick));
    REQUIRE(reason(summary) == "success");
    CHECK(summary->state == CampaignState::finished);
    REQUIRE(summary->grades.size() == 1);
    CHECK(summary->grades[0].grade == Grade::measured);
    CHECK(exit_status(*summary) == 0);
    CHECK(campaign.actions() == Actions{"identify", "claim", "format", "mount", "run", "unmount", "check", "release"});
    CHECK(campaign.link.open_claims() == 0);
    CHECK(campaign.link.open_mounts() == 0);
}

TEST_CASE("the exit status of a campaign is that of its worst grade") {
    const auto status_of = [](std::vector<MediumGrade> grades) {
        return exit_status({.state = CampaignState::finished, .grades = std::move(grades)});
    };
    CHECK(status_of({{"a", Grade::pass}, {"b", Grade::measured}, {"c", Grade::formatted}}) == 0);
    CHECK(status_of({{"a", Grade::pass}, {"b", Grade::probed}}) == 3);
    CHECK(status_of({{"a", Grade::sampled}}) == 3);
    CHECK(status_of({{"a", Grade::inconclusive}, {"b", Grade::marginal}}) == 1);
    CHECK(status_of({{"a", Grade::probed}, {"b", Grade::fake}}) == 1);
}

TEST_CASE("a medium that refuses a step after its test began gives status 3, not 4, and its record is kept") {
    CampaignFixture campaign;
    // Mounting is the second request that checks the claim. It fails after the volume was formatted, so the medium was
    // already written to.
    campaign.link.answers["mount"] = [](const nlohmann::json&, const auto&) -> Result<nlohmann::json> {
        return fail(Errc::refused, "/dev/sdx is another device than the one that was claimed");
    };
    const auto summary = campaign.run(plan_of(one_stick));
    REQUIRE(reason(summary) == "success");
    CHECK(summary->incomplete);
    CHECK(summary->status_of_left == 3);
    CHECK(exit_status(*summary) == 3);
}

TEST_CASE("every cell is stored before its pass ends") {
    CampaignFixture campaign;
    REQUIRE(campaign.run(plan_of(one_stick)));
    const auto& log = campaign.store.log;
    const auto at = [&](const std::string& start) {
        return std::find_if(log.begin(), log.end(), [&](const auto& line) { return line.rfind(start, 0) == 0; }) -
               log.begin();
    };
    CHECK(at("pass m0.r1.exfat.disktester") < at("cell m0.r1.exfat.disktester"));
    CHECK(at("cell m0.r1.exfat.disktester") < at("end of m0.r1.exfat.disktester"));
    CHECK(at("end of m0.r1.exfat.disktester") < at("step m0.r1.exfat.disktester.run done"));
    REQUIRE(campaign.device(0).passes.size() == 1);
    const store::PassView& pass = campaign.device(0).passes[0];
    CHECK(pass.cells.size() == pass.pass.job.as<workload::SweepJob>()->cells.size());
    CHECK(pass.pass.formatted);
    CHECK(pass.pass.mounted);
}

TEST_CASE("each new format is inspected before its mount and the report is stored") {
    CampaignFixture campaign;
    REQUIRE(campaign.run(plan_of(one_stick)));
    std::vector<std::string> asked;
    for (const auto& call : campaign.link.calls)
        if (call.method == "format" || call.method == "inspect" || call.method == "mount") asked.push_back(call.method);
    CHECK(asked == std::vector<std::string>{"inspect", "format", "inspect", "mount"});
    const store::DeviceView& device = campaign.device(0);
    REQUIRE(device.device.found);
    REQUIRE(device.made.size() == 1);
    const store::FormatRecord& made = device.made[0];
    CHECK(made.step == "m0.r1.exfat.format");
    CHECK(made.device == device.device.key);
    CHECK(made.format == "exfat");
    CHECK(made.repeat == 1);
    CHECK(made.formatted == device.passes.at(0).pass.formatted);
    REQUIRE(made.seen);
    CHECK(made.seen->size == device.device.identity.size);
    // The record is durable before the format is mounted.
    const auto& log = campaign.store.log;
    const auto at = [&](const std::string& line) { return std::ranges::find(log, line) - log.begin(); };
    CHECK(at("format m0.r1.exfat.format") < at("step m0.r1.exfat.format done"));
    CHECK(at("step m0.r1.exfat.format done") < at("step m0.r1.exfat.mount started"));
}

TEST_CASE("a format without suites stores its format record and its check") {
    CampaignFixture campaign;
    const auto summary = campaign.run(plan_of(R"({
        "mediarig_plan": 1, "name": "formats only", "repeats": 2,
        "media": [{"name": "x", "path": "/dev/sdx", "confirm": "SERIAL-X"}],
        "formats": ["exfat", "apfs"], "suites": []
    })"));
    REQUIRE(reason(summary) == "success");
    CHECK(summary->state == CampaignState::finished);
    const store::DeviceView& device = campaign.device(0);
    CHECK(device.passes.empty());
    CHECK(device.checks.size() == 4);
    Actions steps;
    for (const store::FormatRecord& made : device.made) {
        steps.push_back(made.step);
        CHECK(made.seen);
    }
    CHECK(steps == Actions{"m0.r1.exfat.format", "m0.r1.apfs.format", "m0.r2.exfat.format", "m0.r2.apfs.format"});
}

TEST_CASE("a format that cannot be mounted still stores its format record") {
    CampaignFixture campaign;
    campaign.link.answers["mount"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
        return fail(Errc::no_driver, "no driver for exFAT on this machine");
    };
    REQUIRE(campaign.run(plan_of(one_stick)));
    const store::DeviceView& device = campaign.device(0);
    CHECK(device.passes.empty());
    CHECK_FALSE(device.untested.empty());
    REQUIRE(device.made.size() == 1);
    CHECK(device.made[0].format == "exfat");
    CHECK(device.made[0].seen);
}

TEST_CASE("a failed format stores no format record") {
    CampaignFixture campaign;
    campaign.link.answers["format"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
        return fail(Errc::io_failed, "the formatter ended with status 1");
    };
    REQUIRE(campaign.run(plan_of(one_stick)));
    CHECK(campaign.device(0).made.empty());
}

TEST_CASE("a format that cannot be inspected is tested, and its step contains the reason") {
    CampaignFixture campaign;
    int looks = 0;
    campaign.link.answers["inspect"] = [&](const nlohmann::json&, const auto&) -> Result<nlohmann::json> {
        if (++looks > 1) return fail(Errc::io_failed, "cannot read at byte 0: Input/output error");
        return media::to_json(media::InspectReport{.size = 1_GiB, .scheme = "none", .volumes = {}});
    };
    const auto summary = campaign.run(plan_of(one_stick));
    REQUIRE(reason(summary) == "success");
    CHECK(summary->state == CampaignState::finished);
    CHECK(looks == 2);
    REQUIRE(campaign.device(0).made.size() == 1);
    CHECK_FALSE(campaign.device(0).made[0].seen);
    CHECK(campaign.device(0).passes.size() == 1);
    std::string said;
    for (const SessionEvent& event : campaign.events)
        if (const auto* step = std::get_if<StepEnded>(&event.body);
            step != nullptr && step->step.kind == plan::StepKind::format)
            said = step->detail;
    CHECK_THAT(said, ContainsSubstring("; not inspected: cannot read at byte 0: Input/output error"));
}

TEST_CASE("the journal has a line before and after each step that touches the medium") {
    CampaignFixture campaign;
    REQUIRE(campaign.run(plan_of(one_stick)));
    for (const plan::Step& step : plan::unroll(plan_of(one_stick))) {
        CAPTURE(step.key);
        const auto& log = campaign.store.log;
        const auto started = std::find(log.begin(), log.end(), "step " + step.key + " started");
        const auto done = std::find(log.begin(), log.end(), "step " + step.key + " done");
        CHECK(started < done);
        CHECK(done != log.end());
    }
}

TEST_CASE("a medium that cannot be claimed is skipped, and the next medium is tested") {
    CampaignFixture campaign;
    campaign.link.answers["claim"] = [&](const nlohmann::json& params, const auto&) -> Result<nlohmann::json> {
        if (params.at("target") == "/dev/sdx") return fail(Errc::refused, "sdx1 is mounted on /home");
        return nlohmann::json{{"claim", 7}, {"medium", media::to_json(stick("/dev/sdy", "SERIAL-Y"))}};
    };
    campaign.link.answers["format"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
        return fail(Errc::no_driver, "mkfs.exfat is missing: install exfatprogs");
    };
    campaign.link.answers["release"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
        return nlohmann::json::object();
    };
    const auto summary = campaign.run(plan_of(two_sticks));
    REQUIRE(reason(summary) == "success");
    // Both media have a reason for the missing test: there is no verdict, and the campaign stays open.
    CHECK(summary->grades.empty());
    CHECK(summary->incomplete);
    CHECK(exit_status(*summary) == 3);
    for (const auto& call : campaign.link.calls)
        if (call.method == "format") CHECK(call.params.at("claim") == 7);
    CHECK_THAT(campaign.device(0).untested.at(0).why, ContainsSubstring("sdx1 is mounted on /home"));
}

TEST_CASE("a profile is resolved for the actual medium, and a profile without a suitable format is a failed format") {
    CampaignFixture campaign;
    auto plan = plan_of(one_stick);
    plan.formats = {{.profile = media::FormatProfile::linux},
                    {.profile = media::FormatProfile::macos, .wanted = media::FileSystem::hfs_plus}};
    plan.on_failure = plan::OnFailure::next_step;
    REQUIRE(campaign.run(plan));
    const media::Medium is = stick("/dev/sdx", "SERIAL-X");
    const auto spec = media::spec_for(media::FormatProfile::linux, is.size, 512, {});
    REQUIRE(reason(spec) == "success");
    std::vector<nlohmann::json> asked;
    for (const auto& call : campaign.link.calls)
        if (call.method == "format") asked.push_back(call.params.at("format"));
    CHECK(asked == std::vector<nlohmann::json>(plan.repeats, media::to_json(*spec)));
    const auto failed = campaign.ended(How::failed);
    CHECK(std::count(failed.begin(), failed.end(), "m0.r1.macos-hfs+.format") == 1);
    CHECK_THAT(campaign.device(0).untested.back().why,
               ContainsSubstring("the profile macos does not support HFS+ on this medium"));
}

TEST_CASE("a failed format skips only its dependent steps") {
    CampaignFixture campaign;
    campaign.link.answers["mount"] = [&](const nlohmann::json& params, const auto&) -> Result<nlohmann::json> {
        if (params.at("fs") == "apfs") return fail(Errc::no_driver, "no driver for APFS on this machine");
        return media::to_json(media::MountReport{.mount_point = "/run/x", .driver = "exfat", .free = 4_GiB});
    };
    campaign.link.answers["run"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
        return nlohmann::json{{"cells", 0}, {"verify", nullptr}, {"findings", nlohmann::json::array()}};
    };
    campaign.link.answers["unmount"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
        return nlohmann::json::object();
    };
    const auto summary = campaign.run(plan_of(two_sticks));
    REQUIRE(reason(summary) == "success");
    CHECK(campaign.ended(How::failed) == Actions{"m0.r1.apfs.mount", "m1.r1.apfs.mount"});
    const auto done = campaign.ended(How::done);
    CHECK(std::count(done.begin(), done.end(), "m0.r1.exfat.disktester.run") == 1);
    CHECK(std::count(done.begin(), done.end(), "m1.r1.exfat.disktester.run") == 1);
    CHECK(std::count(done.begin(), done.end(), "m0.r1.apfs.disktester.run") == 0);
    CHECK_THAT(campaign.device(0).untested.back().why, ContainsSubstring("no driver for APFS on this machine"));
}

TEST_CASE("the size of a job depends on the free space of the volume or directory, or on the size of the bare medium") {
    const auto written = [](const std::string& medium, const std::string& suite, const std::string& formats) {
        CampaignFixture campaign;
        campaign.link.media["/mnt/d"] = stick("/mnt/d", "");
        campaign.link.answers["mount"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
            return media::to_json(media::MountReport{.mount_point = "/run/x", .driver = "exfat", .free = 1_GiB});
        };
        const std::string text = R"({"mediarig_plan": 1, "name": "n", "media": [{)" + medium +
                                 R"(}], "suites": [{"suite": )" + suite + "}]" + formats + "}";
        REQUIRE(campaign.run(plan_of(text)));
        return workload::traffic_of(campaign.device(0).passes.at(0).pass.job, {}).written;
    };
    const auto made_for = [](Bytes size) {
        return workload::traffic_of(*suites::expand({.name = "disktester-fill"}, size), {}).written;
    };
    REQUIRE(made_for(1_GiB) < made_for(4_GiB));
    const std::string device = R"("name": "x", "path": "/dev/sdx", "confirm": "SERIAL-X")",
                      fill = R"("disktester-fill")";
    CHECK(written(device, fill, R"(, "formats": ["exfat"])") == made_for(1_GiB));
    CHECK(written(device, fill + R"(, "where": "raw")", "") == made_for(4_GiB));
    CHECK(written(R"("name": "d", "directory": "/mnt/d")", fill, "") == made_for(4_GiB));
}

TEST_CASE("a plan with next_medium continues with the next medium after any failure") {
    CampaignFixture campaign;
    auto plan = plan_of(two_sticks);
    plan.on_failure = plan::OnFailure::next_medium;
    campaign.link.answers["format"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
        return fail(Errc::io_failed, "the formatter ended with status 1");
    };
    REQUIRE(campaign.run(plan));
    CHECK(campaign.ended(How::failed) == Actions{"m0.r1.exfat.format", "m1.r1.exfat.format"});
    CHECK(campaign.link.open_claims() == 0);
}

TEST_CASE("a plan with on_failure stop ends at the first failure and releases every claim") {
    CampaignFixture campaign;
    auto plan = plan_of(two_sticks);
    plan.on_failure = plan::OnFailure::stop;
    campaign.link.answers["format"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
        return fail(Errc::io_failed, "the formatter ended with status 1");
    };
    const auto summary = campaign.run(plan);
    REQUIRE(reason(summary) == "success");
    CHECK(summary->state == CampaignState::interrupted);
    CHECK(summary->detail == "the formatter ended with status 1");
    CHECK(exit_status(*summary) == 3);
    CHECK(campaign.actions() == Actions{"identify", "claim", "format", "release"});
}

TEST_CASE("damaged data gives the verdict FAIL, and missing capacity gives the verdict FAKE") {
    const std::string plan = R"({
        "mediarig_plan": 1, "name": "verify",
        "media": [{"name": "x", "path": "/dev/sdx", "confirm": "SERIAL-X"}],
        "suites": [{"suite": "verify", "where": "raw", "quick": true}]
    })";
    for (const auto& [kind, grade] : {std::pair{measure::FindingKind::data_damaged, Grade::fail},
                                      std::pair{measure::FindingKind::capacity_missing, Grade::fake}}) {
        CampaignFixture campaign;
        campaign.link.answers["run"] = [&](const auto&, const auto&) -> Result<nlohmann::json> {
            const measure::Finding finding{
                .kind = kind, .severity = measure::Severity::fault, .detail = "4096 bytes differ"};
            return nlohmann::json{
                {"cells", 0}, {"verify", nullptr}, {"findings", nlohmann::json::array({to_json(finding)})}};
        };
        // The agent reports a finding when it occurs and again in the report. The finding counts once.
        const auto summary = campaign.run(plan_of(plan));
        REQUIRE(reason(summary) == "success");
        CHECK(summary->grades.at(0).grade == grade);
        CHECK(exit_status(*summary) == 1);
    }
}

TEST_CASE("a fake is released without further measurements") {
    CampaignFixture campaign;
    campaign.link.verify = [](const workload::VerifyJob& job) {
        auto outcome = agent::FakeAgentLink::default_verify(job);
        outcome.verdict = workload::CapacityVerdict::fake;
        outcome.fake = workload::FakeKind::wrap;
        return outcome;
    };
    REQUIRE(campaign.run(plan_of(R"({
        "mediarig_plan": 1, "name": "capacity",
        "media": [{"name": "x", "path": "/dev/sdx", "confirm": "SERIAL-X"}],
        "formats": ["exfat"],
        "suites": [{"suite": "verify", "where": "raw", "quick": true}, {"suite": "quickbench", "quick": true}]
    })")));
    CHECK(campaign.actions() == std::vector<std::string>{"identify", "claim", "run", "release"});
    CHECK(campaign.device(0).untested.empty());
    CHECK(campaign.link.open_claims() == 0);
}

TEST_CASE("a damaged file system gives the medium the verdict FAIL") {
    CampaignFixture campaign;
    campaign.link.answers["check"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
        return media::to_json(media::CheckReport{
            .tool = "fsck.exfat", .tool_version = "1.2.0", .clean = false, .said = {"bad checksum"}});
    };
    const auto summary = campaign.run(plan_of(one_stick));
    REQUIRE(reason(summary) == "success");
    CHECK(summary->grades.at(0).grade == Grade::fail);
    CHECK_THAT(campaign.device(0).findings.at(0).detail, ContainsSubstring("bad checksum"));
}

TEST_CASE("findings about the path to a medium are reported once per mount, and findings about a pass once per pass") {
    CampaignFixture campaign;
    campaign.link.answers["run"] = [&](const auto&, const auto&) -> Result<nlohmann::json> {
        const auto about = [](measure::FindingKind kind) {
            return measure::to_json(
                measure::Finding{.kind = kind, .severity = measure::Severity::note, .detail = "as always"});
        };
        return nlohmann::json{{"cells", 0},
                              {"verify", nullptr},
                              {"findings",
                               {about(measure::FindingKind::driver_limit), about(measure::FindingKind::direct_refused),
                                about(measure::FindingKind::cache_suspected)}}};
    };
    const auto summary = campaign.run(plan_of(R"({
        "mediarig_plan": 1, "name": "two formats, two suites",
        "media": [{"name": "x", "path": "/dev/sdx", "confirm": "SERIAL-X"}],
        "formats": ["exfat", "apfs"],
        "suites": [{"suite": "disktester", "quick": true}, {"suite": "quickbench", "quick": true}]
    })"));
    REQUIRE(reason(summary) == "success");
    const auto device = campaign.device(0);
    REQUIRE(device.passes.size() == 4);
    std::string found;
    for (const auto& pass : device.passes) {
        for (const auto& finding : pass.findings) found += std::string(measure::name_of(finding.kind)) + " ";
        found += "/ ";
    }
    CHECK(found ==
          "driver_limit direct_refused cache_suspected / cache_suspected / "
          "driver_limit direct_refused cache_suspected / cache_suspected / ");
}

TEST_CASE("no step begins after the time budget") {
    CampaignFixture campaign;
    auto plan = plan_of(two_sticks);
    plan.time_budget = std::chrono::seconds(10);
    campaign.watch = [&](const SessionEvent& event) {
        const auto* step = std::get_if<StepEnded>(&event.body);
        if (step != nullptr && step->step.key == "m0.r1.exfat.disktester.run") campaign.now = std::chrono::seconds(11);
    };
    const auto summary = campaign.run(plan);
    REQUIRE(reason(summary) == "success");
    const auto done = campaign.ended(How::done);
    CHECK(std::count(done.begin(), done.end(), "m0.r1.exfat.check") == 1);
    CHECK(std::count(done.begin(), done.end(), "m0.r1.apfs.format") == 0);
    CHECK(std::count(done.begin(), done.end(), "m0.r1.apfs.mount") == 0); // the medium still has the other format
    CHECK(campaign.ended(How::failed).empty());
    CHECK(summary->state == store::CampaignState::finished);
    CHECK_THAT(campaign.device(0).untested.back().why, ContainsSubstring("time budget of 10 s is used up"));
    CHECK(campaign.link.open_claims() == 0);
}

TEST_CASE("a failed release is repeated before the next medium and leaves no claim") {
    CampaignFixture campaign;
    std::size_t releases = 0;
    campaign.link.answers["release"] = [&](const nlohmann::json& params, const auto&) -> Result<nlohmann::json> {
        if (++releases == 1) return fail(Errc::host_fault, "the loop device is busy");
        CHECK(params.at("claim") == 1);
        return nlohmann::json::object();
    };
    REQUIRE(reason(campaign.run(plan_of(one_stick))) == "success");
    CHECK(releases == 2);
}

TEST_CASE("a record that cannot be read for its verdict ends the campaign") {
    CampaignFixture campaign;
    campaign.link.answers["format"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
        return fail(Errc::no_driver, "mkfs.exfat is missing: install exfatprogs");
    };
    campaign.store.loses_devices = true;
    const auto summary = campaign.run(plan_of(one_stick));
    REQUIRE(reason(summary) == "success");
    CHECK(summary->state == store::CampaignState::interrupted);
    CHECK(summary->detail == "the store cannot be read");
    CHECK(exit_status(*summary) == 3);
    CHECK(campaign.link.open_claims() == 0);
}

TEST_CASE("the record of a card in a slot of the machine contains its health, and a failed query ends no campaign") {
    for (const bool answers : {true, false}) {
        CampaignFixture campaign;
        // The medium keeps its name in the plan; the agent reports another node.
        campaign.link.media["/dev/sdx"].node = "/dev/mmcblk0";
        campaign.link.answers["card_health"] = [&](const auto&, const auto&) -> Result<nlohmann::json> {
            if (!answers) return fail(Errc::io_failed, "no answer");
            media::CardHealth health;
            health.state = media::HealthState::reported;
            health.power_ups = 17;
            return media::to_json(health);
        };
        REQUIRE(reason(campaign.run(plan_of(one_stick))) == "success");
        const std::optional<media::CardHealth>& health = campaign.device(0).device.identity.health;
        CHECK(health.has_value() == answers);
        if (health) CHECK(health->power_ups == 17u);
    }
}

TEST_CASE("a stick receives no request for the health of a card") {
    CampaignFixture campaign;
    REQUIRE(campaign.run(plan_of(one_stick)));
    CHECK(std::ranges::none_of(campaign.link.calls, [](const auto& call) { return call.method == "card_health"; }));
}

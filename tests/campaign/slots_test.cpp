// SPDX-License-Identifier: GPL-3.0-or-later
/// Media that a rig presents to the agent and removes again.
#include "host/measure/json.hpp"
#include "tests/campaign/campaign_fixture.hpp"

using namespace mediarig;
using namespace mediarig::campaign;
using How = StepEnded::How;
using Log = std::vector<std::string>;

TEST_CASE("each slot is loaded, tested and unloaded before the next one is loaded") {
    CampaignFixture campaign;
    const auto summary = campaign.run(plan_of(two_slots));
    REQUIRE(summary);
    CHECK(summary->state == store::CampaignState::finished);
    CHECK(campaign.rig.log == Log{"load 1", "unload 1", "load 2", "unload 2"});
    CHECK(campaign.actions() == Log{"identify", "claim", "format", "mount", "run", "unmount", "check", "release",
                                    "identify", "claim", "format", "mount", "run", "unmount", "check", "release"});
    // Both media had the same device name, one after the other, but are recorded as two devices.
    CHECK(campaign.device(0).device.identity.serial == "SERIAL-1");
    CHECK(campaign.device(0).device.slot == "1");
    CHECK(campaign.device(1).device.identity.serial == "SERIAL-2");
    CHECK(campaign.device(1).verdict->grade == measure::Grade::pass);
}

TEST_CASE("the record of a medium contains the method of disconnection at load and end") {
    const rig::Detachment handshake(rig::DetachLevel::supply_cut, {.vanished = true, .supply = {}, .plug_watts = {}},
                                    "rig");
    const rig::Detachment separation(rig::DetachLevel::withdrawn, {.vanished = true, .supply = {}, .plug_watts = {}},
                                     "rig");
    CampaignFixture campaign;
    campaign.rig.handshake = handshake;
    campaign.rig.separation = separation;
    REQUIRE(campaign.run(plan_of(two_slots)));
    for (const std::size_t device : {0U, 1U})
        CHECK(campaign.device(device).detachments == std::vector{handshake, separation});
    // A medium that was never identified has no record.
    CampaignFixture jammed;
    jammed.rig.separation = separation;
    jammed.rig.fails_to_load[1] = {Errc::no_medium, "slot 1: nothing appeared within 30 s"};
    REQUIRE(jammed.run(plan_of(two_slots)));
    CHECK(jammed.device(0).detachments == std::vector{separation});
}

TEST_CASE("a medium in a slot needs no typed confirmation and is claimed by its serial") {
    CampaignFixture campaign;
    REQUIRE(campaign.run(plan_of(two_slots)));
    const auto claim = std::find_if(campaign.link.calls.begin(), campaign.link.calls.end(),
                                    [](const auto& call) { return call.method == "claim"; });
    REQUIRE(claim != campaign.link.calls.end());
    CHECK(claim->params.at("confirm") == "SERIAL-1");
}

TEST_CASE("a slot without a medium is recorded as not tested, and the next slot is tested") {
    CampaignFixture campaign;
    campaign.rig.fails_to_load[1] = {Errc::no_medium, "slot 1: nothing appeared within 30 s"};
    const auto summary = campaign.run(plan_of(two_slots));
    REQUIRE(summary);
    CHECK(campaign.ended(How::failed) == Log{"m0.load"});
    // A slot whose load failed is unloaded.
    CHECK(campaign.rig.log == Log{"load 1", "unload 1", "load 2", "unload 2"});
    CHECK(campaign.rig.sorted[1] == rigproto::Bin::retest);
    REQUIRE(campaign.store.views["c1"].devices.size() == 2);
    CHECK(campaign.device(0).device.identity.node == "slot 1");
    CHECK(campaign.device(0).verdict->grade == measure::Grade::inconclusive);
    CHECK(campaign.device(1).verdict->grade == measure::Grade::pass);
}

TEST_CASE("two media with equal identities have separate records, also after a resume") {
    CampaignFixture campaign;
    campaign.rig.slots[2] = campaign.rig.slots[1];
    REQUIRE(campaign.run(plan_of(two_slots)));
    CHECK(campaign.device(0).device.key + "-slot-2" == campaign.device(1).device.key);
    CHECK(campaign.device(1).passes.size() == 1);

    campaign.store.journals["c1"].erase("m1.r1.exfat.check");
    REQUIRE(campaign.run(plan_of(two_slots), true));
    CHECK(campaign.store.views["c1"].devices.size() == 2);
    CHECK(campaign.device(1).verdict->grade == measure::Grade::pass);
}

TEST_CASE("a slot without a rig is reported as not tested") {
    CampaignFixture campaign;
    campaign.with_rig = false;
    REQUIRE(campaign.run(plan_of(two_slots)));
    CHECK(campaign.ended(How::failed) == Log{"m0.load", "m1.load"});
    CHECK(campaign.device(0).verdict->grade == measure::Grade::inconclusive);
}

TEST_CASE("a stop at any event unloads every slot and releases every claim") {
    CampaignFixture whole;
    REQUIRE(whole.run(plan_of(two_slots)));
    for (std::size_t at = 0; at < whole.events.size(); ++at) {
        CAPTURE(at);
        CampaignFixture campaign;
        campaign.watch = [&](const SessionEvent&) {
            if (campaign.events.size() == at + 1) campaign.stop.request("somebody asked");
        };
        REQUIRE(campaign.run(plan_of(two_slots)));
        const auto& log = campaign.rig.log;
        CHECK(std::count(log.begin(), log.end(), "load 1") == std::count(log.begin(), log.end(), "unload 1"));
        CHECK(std::count(log.begin(), log.end(), "load 2") == std::count(log.begin(), log.end(), "unload 2"));
        CHECK(campaign.link.open_claims() == 0);
    }
}

TEST_CASE("if a rig cannot return a medium, the medium keeps its verdict and the campaign continues") {
    CampaignFixture campaign;
    campaign.rig.fails_to_unload[1] = {Errc::io_failed, "slot 1: jammed"};
    REQUIRE(campaign.run(plan_of(two_slots)));
    CHECK(campaign.ended(How::failed) == Log{"m0.unload"});
    CHECK(campaign.device(0).verdict->grade == measure::Grade::pass);
    CHECK(campaign.device(1).verdict->grade == measure::Grade::pass);
}

TEST_CASE("a resumed campaign loads only slots with unfinished steps") {
    const auto steps = plan::unroll(plan_of(two_slots));
    Journal journal;
    for (const plan::Step& step : steps) {
        if (step.key == "m1.r1.exfat.disktester.run") break;
        journal[step.key] = {.key = step.key, .state = store::StepState::done};
    }
    const auto skip = done_before(steps, journal);
    Log left;
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (!skip[i]) left.push_back(steps[i].key);
    CHECK(left == Log{"m1.load", "m1.identify", "m1.claim", "m1.r1.exfat.format", "m1.r1.exfat.mount",
                      "m1.r1.exfat.disktester.run", "m1.r1.exfat.unmount", "m1.r1.exfat.check", "m1.release",
                      "m1.verdict", "m1.unload"});
}

TEST_CASE("a slot that was empty in the first attempt accepts any medium in the second attempt") {
    CampaignFixture campaign;
    campaign.rig.fails_to_load[1] = {Errc::no_medium, "slot 1: nothing appeared within 30 s"};
    REQUIRE(campaign.run(plan_of(two_slots)));
    campaign.rig.fails_to_load.clear();
    campaign.store.views["c1"].campaign.state = store::CampaignState::interrupted;
    const auto again = campaign.run(plan_of(two_slots), true);
    REQUIRE(again);
    const auto& devices = campaign.store.views["c1"].devices;
    const auto tested = std::find_if(devices.begin(), devices.end(),
                                     [](const auto& each) { return each.device.identity.serial == "SERIAL-1"; });
    REQUIRE(tested != devices.end());
    CHECK(tested->verdict->grade == measure::Grade::pass);
}

TEST_CASE("each medium is sorted by its verdict") {
    CampaignFixture campaign;
    campaign.link.measure = [&](const workload::CellSpec& spec) {
        auto cell = agent::FakeAgentLink::default_measure(spec);
        if (campaign.rig.log.back() == "load 2")
            cell.findings.push_back({.kind = measure::FindingKind::io_error,
                                     .severity = measure::Severity::fault,
                                     .detail = "a read failed"});
        return cell;
    };
    REQUIRE(campaign.run(plan_of(two_slots)));
    CHECK(campaign.rig.sorted[1] == rigproto::Bin::pass);
    CHECK(campaign.rig.sorted[2] == rigproto::Bin::fail);
}

TEST_CASE("a medium without a verdict returns to its pocket") {
    CampaignFixture campaign;
    campaign.watch = [&](const SessionEvent& event) {
        if (const auto* step = std::get_if<StepStarted>(&event.body); step && step->step.key == "m0.r1.exfat.mount")
            campaign.stop.request("somebody asked");
    };
    REQUIRE(campaign.run(plan_of(two_slots)));
    REQUIRE(campaign.rig.log == Log{"load 1", "unload 1"});
    CHECK(campaign.rig.sorted[1] == std::nullopt);
}

TEST_CASE("a medium judged before a crash of the controller is sorted by its verdict without a second test") {
    CampaignFixture campaign;
    REQUIRE(campaign.run(plan_of(two_slots)));
    campaign.store.journals["c1"].erase("m0.unload");
    campaign.rig.log.clear();
    campaign.rig.sorted.clear();
    REQUIRE(campaign.run(plan_of(two_slots), true));
    CHECK(campaign.rig.log == Log{"unload 1"});
    CHECK(campaign.rig.sorted[1] == rigproto::Bin::pass);
    CHECK(campaign.device(0).passes.size() == 1);
}

TEST_CASE("a rig fault ends the campaign, and its medium gets neither a fault nor a verdict") {
    CampaignFixture campaign;
    campaign.link.measure = [&](const workload::CellSpec& spec) {
        auto cell = agent::FakeAgentLink::default_measure(spec);
        cell.findings.push_back(
            {.kind = measure::FindingKind::io_error, .severity = measure::Severity::fault, .detail = "a read failed"});
        campaign.rig.in_trouble = {Errc::rig_fault, "the emergency stop is pressed"};
        return cell;
    };
    const auto summary = campaign.run(plan_of(two_slots));
    REQUIRE(summary);
    CHECK(summary->state == store::CampaignState::interrupted);
    CHECK(summary->detail == "the emergency stop is pressed");
    CHECK(campaign.device(0).passes[0].cells.empty());
    CHECK(campaign.device(0).passes[0].findings.empty());
    CHECK_FALSE(campaign.device(0).verdict);

    // After the repair the medium is tested normally.
    campaign.rig.in_trouble.reset();
    campaign.link.measure = agent::FakeAgentLink::default_measure;
    const auto resumed = campaign.run(plan_of(two_slots), true);
    REQUIRE(resumed);
    CHECK(campaign.device(0).verdict->grade == measure::Grade::pass);
    CHECK(campaign.device(1).verdict->grade == measure::Grade::pass);
}

TEST_CASE("findings of a run interrupted by a rig fault do not count against the medium") {
    CampaignFixture campaign;
    const bool in_trouble = GENERATE(true, false);
    campaign.link.answers["run"] = [&](const nlohmann::json&, const agent::FakeAgentLink::Notify& notify) {
        const measure::Finding finding{
            .kind = measure::FindingKind::io_error, .severity = measure::Severity::fault, .detail = "a read failed"};
        CHECK(notify("finding", measure::to_json(finding)));
        if (in_trouble) campaign.rig.in_trouble = {Errc::rig_fault, "the emergency stop is pressed"};
        return Result<nlohmann::json>(fail(Errc::no_medium, "the medium is gone"));
    };
    const auto summary = campaign.run(plan_of(two_slots));
    REQUIRE(summary);
    CHECK(campaign.device(0).passes[0].findings.empty() == in_trouble);
    if (in_trouble) CHECK(summary->detail == "the emergency stop is pressed");
}

TEST_CASE("an untested medium in a bin is not loaded again") {
    const auto steps = plan::unroll(plan_of(two_slots));
    Journal journal;
    journal["m0.load"] = {.key = "m0.load", .state = store::StepState::failed};
    journal["m0.verdict"] = {.key = "m0.verdict", .state = store::StepState::done};
    journal["m0.unload"] = {.key = "m0.unload", .state = store::StepState::sorted, .detail = "into bin retest"};
    const auto left_of_first = [&] {
        const auto skip = done_before(steps, journal);
        std::size_t left = 0;
        for (std::size_t i = 0; i < steps.size(); ++i) left += steps[i].medium == 0 && !skip[i] ? 1 : 0;
        return left;
    };
    CHECK(left_of_first() == 0);
    // A medium that is still in its pocket is loaded again.
    journal["m0.unload"].state = store::StepState::done;
    CHECK(left_of_first() == 11);
}

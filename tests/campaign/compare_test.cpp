// SPDX-License-Identifier: GPL-3.0-or-later
/// A comparison in a session: it ends when the rule has decided, without further measurements.
#include <algorithm>
#include <deque>
#include <map>

#include "host/campaign/comparison/recorded_comparison.hpp"
#include "host/campaign/run/abandon.hpp"
#include "tests/campaign/campaign_fixture.hpp"

using namespace mediarig;
using namespace mediarig::campaign;
using Catch::Matchers::StartsWith;
using measure::comparison::ComparisonVerdict;

namespace {

std::string compared(const std::string& section, const std::string& more = "") {
    return R"({"mediarig_plan": 1, "media": [{"name": "x", "path": "/dev/sdx", "confirm": "SERIAL-X"}],
        "suites": [{"suite": "quickbench", "accesses": ["seq_write"], "blocks": ["1MiB"], "volume": "8MiB", "span": "16MiB"}],
        "compare": )" +
           section + more + "}";
}
const std::string two = compared(R"({"formats": ["exfat", "hfs+j"], "blocks": 8})");

/// Makes the fake agent measure each format at its rate, with a scatter of half a per cent. The present format is the
/// one that was made last.
void give(CampaignFixture& campaign, std::map<std::string, double> megabytes_per_second) {
    campaign.link.measure = [&campaign, rates = std::move(megabytes_per_second),
                             at = 0](const workload::CellSpec& cell) mutable {
        // The rate of the bare medium does not depend on the format.
        if (cell.table == "pace" || cell.table == "fill") return agent::FakeAgentLink::default_measure(cell);
        std::string fs;
        for (const auto& call : campaign.link.calls)
            if (call.method == "format") fs = call.params.at("format").at("fs").get<std::string>();
        auto result = agent::FakeAgentLink::default_measure(cell);
        const double rate = rates.at(fs) * (1 + (at++ * 7 % 5) * 0.002);
        result.elapsed =
            std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>(cell.volume.count) * 1e3 / rate));
        return result;
    };
}

comparison_campaign::Course course_of(CampaignFixture& campaign, const plan::Plan& plan) {
    const store::DeviceView& device = campaign.device(0);
    return comparison_campaign::course_of(plan, {.passes = device.passes, .untested = device.untested, .closed = true});
}

std::vector<Conclusion> conclusions(const CampaignFixture& campaign) {
    std::vector<Conclusion> all;
    for (const SessionEvent& event : campaign.events)
        if (const auto* reached = std::get_if<ConclusionReached>(&event.body)) all.push_back(reached->conclusion);
    return all;
}

} // namespace

TEST_CASE("a comparison ends with the deciding block, and its medium is MEASURED") {
    CampaignFixture campaign;
    give(campaign, {{"exfat", 22}, {"hfs+j", 20}});
    const plan::Plan plan = plan_of(two);
    const auto summary = campaign.run(plan);
    REQUIRE(reason(summary) == "success");
    CHECK(summary->state == store::CampaignState::finished);
    CHECK(exit_status(*summary) == 0);
    CHECK(campaign.device(0).passes.size() == 12); // six blocks of two passes
    const auto course = course_of(campaign, plan);
    CHECK(course.comparison.pair_results()[0].verdict == ComparisonVerdict::faster);
    CHECK(course.comparison.pair_results()[0].faster_format() == 0);
}

TEST_CASE("the medium rests before each pass if the plan requires it") {
    CampaignFixture campaign;
    give(campaign, {{"exfat", 22}, {"hfs+j", 20}});
    const auto before = std::chrono::steady_clock::now();
    REQUIRE(campaign.run(plan_of(compared(R"({"formats": ["exfat", "hfs+j"], "blocks": 4, "rest_s": 1})"))));
    CHECK(std::chrono::steady_clock::now() - before >= std::chrono::seconds(8));
    CHECK_THAT(campaign.store.journals["c1"].at("m0.r4.exfat.rest").detail, StartsWith("1 s, rate at "));
    for (const store::PassView& view : campaign.device(0).passes) {
        REQUIRE(view.pass.condition);
        REQUIRE(view.pass.condition->rested);
        CHECK(view.pass.condition->rested->reached);
        CHECK(view.pass.condition->rested->waited == std::chrono::seconds(1));
    }
}

TEST_CASE("a slowed medium rests until its rate recovers or the longest rest is over") {
    CampaignFixture campaign;
    // Ten megabytes per second before the first pass, and half this rate before each later pass.
    int looks = 0; // before the first pass the rate is measured three times
    campaign.link.measure = [&](const workload::CellSpec& cell) {
        auto result = agent::FakeAgentLink::default_measure(cell);
        const double rate = cell.table == "pace" && looks++ > 2 ? 5 : 10;
        result.elapsed =
            std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>(cell.volume.count) * 1e3 / rate));
        return result;
    };
    const plan::Plan plan = plan_of(compared(R"({"self_test": "exfat", "blocks": 4, "rest_at_most_s": 1})"));
    REQUIRE(campaign.run(plan));
    const auto& passes = campaign.device(0).passes;
    REQUIRE(passes.size() == 8);
    for (std::size_t i = 0; i < passes.size(); ++i) {
        const store::Rest& rest = passes[i].pass.condition.value().rested.value();
        CAPTURE(i);
        CHECK(rest.until == store::RestUntil::rate);
        CHECK(rest.reference == Approx(10e6));
        CHECK(rest.reached == (i == 0));
        CHECK(rest.waited == std::chrono::seconds(i == 0 ? 0 : 1));
    }
    CHECK_THAT(campaign.store.journals["c1"].at("m0.r4.exfat.rest").detail,
               ContainsSubstring("not restored when the longest rest was over"));
}

TEST_CASE("a medium with a temperature sensor rests until it is cool") {
    CampaignFixture campaign;
    campaign.link.media["/dev/sdx"].transport = media::Transport::nvme;
    // Temperatures at identification, before the first pass, and twice before the second pass: hot, then cool again.
    std::deque<double> degrees{30, 30, 45, 31};
    campaign.link.answers["smart"] = [&](const auto&, const auto&) -> Result<nlohmann::json> {
        media::SmartReport report;
        report.state = media::SmartState::passed;
        report.temperature_c = degrees.empty() ? 30 : degrees.front();
        if (!degrees.empty()) degrees.pop_front();
        return media::to_json(report);
    };
    const plan::Plan plan = plan_of(compared(R"({"self_test": "exfat", "blocks": 4, "rest_at_most_s": 1})"));
    REQUIRE(campaign.run(plan));
    const auto& passes = campaign.device(0).passes;
    REQUIRE(passes.size() >= 2);
    CHECK(passes[0].pass.condition.value().rested.value().until == store::RestUntil::temperature);
    // An observer receives each reading.
    std::vector<double> told;
    for (const SessionEvent& event : campaign.events)
        if (const auto* read = std::get_if<TemperatureRead>(&event.body)) told.push_back(read->celsius);
    REQUIRE(told.size() >= 3);
    told.resize(3);
    CHECK(told == std::vector<double>{30, 45, 31});
    CHECK(passes[1].pass.condition.value().rested.value() == store::Rest{.waited = std::chrono::seconds(1),
                                                                         .until = store::RestUntil::temperature,
                                                                         .reference = 30,
                                                                         .value = 31,
                                                                         .reached = true});
}

TEST_CASE("the session waits for background work of the format after each mount and records the wait with the pass") {
    CampaignFixture campaign;
    give(campaign, {{"exfat", 22}, {"hfs+j", 20}});
    REQUIRE(campaign.run(plan_of(two)));
    std::string before;
    for (const auto& call : campaign.link.calls) {
        if (call.method == "run") CHECK(before == "wait_idle");
        if (call.method == "wait_idle") CHECK(before == "mount");
        before = call.method;
    }
    for (const store::PassView& view : campaign.device(0).passes)
        CHECK(view.pass.condition.value().idle.value().silent);
    CHECK_THAT(campaign.store.journals["c1"].at("m0.r4.exfat.mount").detail, ContainsSubstring("; silent after 1.0 s"));
}

TEST_CASE("the medium is discarded before each pass and the effect is recorded with the pass") {
    CampaignFixture campaign;
    give(campaign, {{"exfat", 22}, {"hfs+j", 20}});
    REQUIRE(campaign.run(plan_of(two)));
    std::string before;
    for (const auto& call : campaign.link.calls) {
        if (call.method == "format") CHECK(before == "discard");
        if (call.method == "discard" || call.method == "format") before = call.method;
    }
    REQUIRE(campaign.device(0).passes.size() == 12);
    for (const store::PassView& view : campaign.device(0).passes) {
        REQUIRE(view.pass.discarded);
        CHECK(media::effect_of(*view.pass.discarded) == media::DiscardEffect::zeros);
    }
    CHECK_THAT(campaign.store.journals["c1"].at("m0.r4.exfat.discard").detail, ContainsSubstring("reads as zeros"));
}

TEST_CASE("a medium without discard is filled before each pass of a comparison") {
    CampaignFixture campaign;
    give(campaign, {{"exfat", 22}, {"hfs+j", 20}});
    campaign.link.answers["discard"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
        return media::to_json(media::DiscardReport{});
    };
    REQUIRE(campaign.run(plan_of(two)));
    REQUIRE(campaign.device(0).passes.size() == 12);
    for (const store::PassView& view : campaign.device(0).passes) {
        CHECK_FALSE(view.pass.discarded.value().taken);
        CHECK(view.pass.condition.value().filled.value().length == plan::default_compare_fill);
    }
    CHECK_THAT(campaign.store.journals["c1"].at("m0.r1.exfat.discard").detail,
               StartsWith("the medium does not support discard; filled with 1.07 GB at "));
}

TEST_CASE("a medium without discard is filled as far as the plan requires, or not at all") {
    const auto filled = [](const std::string& fill) {
        CampaignFixture campaign;
        give(campaign, {{"exfat", 22}, {"hfs+j", 20}});
        campaign.link.answers["discard"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
            return media::to_json(media::DiscardReport{});
        };
        REQUIRE(
            campaign.run(plan_of(compared(R"({"formats": ["exfat", "hfs+j"], "blocks": 4, "fill": )" + fill + "}"))));
        const auto& condition = campaign.device(0).passes.at(0).pass.condition;
        return condition && condition->filled ? std::optional(condition->filled->length) : std::nullopt;
    };
    CHECK(filled("\"64MiB\"") == 64_MiB);
    CHECK(filled("0") == std::nullopt);
}

TEST_CASE("a comparison with discard turned off neither requests nor records a discard") {
    CampaignFixture campaign;
    give(campaign, {{"exfat", 22}, {"hfs+j", 20}});
    REQUIRE(campaign.run(plan_of(compared(R"({"formats": ["exfat", "hfs+j"], "blocks": 4, "discard": false})"))));
    for (const auto& call : campaign.link.calls) CHECK(call.method != "discard");
    for (const store::PassView& view : campaign.device(0).passes) CHECK_FALSE(view.pass.discarded);
}

TEST_CASE("a failed discard leaves its format out of the block and the comparison continues") {
    CampaignFixture campaign;
    give(campaign, {{"exfat", 22}, {"hfs+j", 20}});
    int discards = 0;
    campaign.link.answers["discard"] = [&](const auto&, const auto&) -> Result<nlohmann::json> {
        if (++discards == 3) return fail(Errc::io_failed, "/dev/sdx cannot be discarded at byte 0: I/O error");
        return media::to_json(media::DiscardReport{.taken = true, .zeros = media::mark_count});
    };
    const plan::Plan plan = plan_of(two);
    REQUIRE(campaign.run(plan));
    const auto course = course_of(campaign, plan);
    REQUIRE(course.blocks.size() == 7);
    CHECK(course.comparison.pair_results()[0].look.blocks == 6);
    const auto& failures = course.comparison.pair_results()[0].failures;
    CHECK(failures.first + failures.second == 1);
    CHECK(campaign.device(0).passes.size() == 13);
}

TEST_CASE("formats run in the random orders that were stored before the first pass") {
    CampaignFixture campaign;
    give(campaign, {{"exfat", 22}, {"hfs+j", 20}});
    const plan::Plan plan = plan_of(two);
    REQUIRE(campaign.run(plan));
    const auto stored = plan::parse_plan(campaign.store.views["c1"].campaign.plan);
    REQUIRE(stored);
    std::vector<std::string> drawn, made;
    const char* const names[] = {"exfat", "hfs+j"};
    for (std::size_t block = 0; block < campaign.device(0).passes.size() / 2; ++block)
        for (const std::size_t format : stored->compare->orders[block]) drawn.emplace_back(names[format]);
    for (const store::PassView& pass : campaign.device(0).passes) made.push_back(pass.pass.format);
    CHECK(made == drawn);
}

TEST_CASE("the state of the rule after each block is stored and reported") {
    CampaignFixture campaign;
    give(campaign, {{"exfat", 22}, {"hfs+j", 20}});
    REQUIRE(campaign.run(plan_of(two)));
    const auto told = conclusions(campaign);
    REQUIRE(told.size() == 6);
    CHECK(told[0].title == "block 1 of at most 8");
    CHECK_THAT(told[0].lines.at(0), ContainsSubstring("waits for block 4"));
    CHECK(told[5].title == "block 6 of at most 8, the last one");
    CHECK_THAT(told[5].text, StartsWith("sequential write: exFAT faster by "));
    CHECK_THAT(told[5].decisions, ContainsSubstring(R"("decision":"faster","first":"exfat","format":"exfat")"));
    for (const Conclusion& each : told) CHECK(campaign.store.journals["c1"].at(each.key).detail == each.decisions);
}

TEST_CASE("an interrupted comparison continues with a new block") {
    const plan::Plan plan = plan_of(two);
    CampaignFixture campaign;
    give(campaign, {{"exfat", 22}, {"hfs+j", 20}});
    int passes = 0;
    campaign.watch = [&](const SessionEvent& event) {
        const auto* ended = std::get_if<StepEnded>(&event.body);
        if (ended != nullptr && ended->step.kind == plan::StepKind::run && ended->how == StepEnded::How::done &&
            ++passes == 3)
            campaign.stop.request("enough");
    };
    const auto stopped = campaign.run(plan);
    REQUIRE(stopped);
    CHECK(stopped->state == store::CampaignState::interrupted);
    REQUIRE(campaign.device(0).passes.size() == 3);

    campaign.watch = [](const SessionEvent&) {};
    campaign.stop = StopSignal{};
    const auto resumed = campaign.run(plan, true);
    REQUIRE(reason(resumed) == "success");
    CHECK(resumed->state == store::CampaignState::finished);
    const auto course = course_of(campaign, plan);
    CHECK(course.blocks.size() == 7);
    CHECK_FALSE(course.blocks[1].whole);
    CHECK(course.comparison.pair_results()[0].verdict == ComparisonVerdict::faster);
    CHECK(course.comparison.pair_results()[0].look.blocks == 6);
}

TEST_CASE("a comparison of six blocks whose first block was interrupted measures six more blocks and decides") {
    const plan::Plan plan = plan_of(compared(R"({"formats": ["exfat", "hfs+j"], "blocks": 6})"));
    CampaignFixture campaign;
    give(campaign, {{"exfat", 22}, {"hfs+j", 20}});
    campaign.watch = [&](const SessionEvent& event) {
        const auto* ended = std::get_if<StepEnded>(&event.body);
        if (ended != nullptr && ended->step.kind == plan::StepKind::run) campaign.stop.request("enough");
    };
    REQUIRE(campaign.run(plan));
    REQUIRE(campaign.device(0).passes.size() == 1);

    campaign.watch = [](const SessionEvent&) {};
    campaign.stop = StopSignal{};
    const auto resumed = campaign.run(plan, true);
    REQUIRE(reason(resumed) == "success");
    const auto course = course_of(campaign, plan);
    CHECK(course.blocks.size() == 7);
    CHECK(course.comparison.pair_results()[0].verdict == ComparisonVerdict::faster);
    CHECK(course.comparison.pair_results()[0].look.blocks == 6);
    CHECK(conclusions(campaign).back().title == "block 7 of at most 7, the last one");
}

TEST_CASE("a format that fails is recorded in its block and the comparison continues") {
    CampaignFixture campaign;
    give(campaign, {{"exfat", 22}, {"hfs+j", 20}});
    int mounts = 0;
    campaign.watch = [&](const SessionEvent& event) {
        const auto* started = std::get_if<StepStarted>(&event.body);
        if (started == nullptr || started->step.kind != plan::StepKind::mount) return;
        campaign.link.answers.erase("mount");
        if (++mounts == 3)
            campaign.link.answers["mount"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
                return fail(Errc::io_failed, "the superblock cannot be read");
            };
    };
    const plan::Plan plan = plan_of(two);
    const auto summary = campaign.run(plan);
    REQUIRE(summary);
    const auto course = course_of(campaign, plan);
    REQUIRE(course.blocks.size() == 7);
    CHECK(course.blocks[1].whole);
    CHECK(course.comparison.pair_results()[0].look.blocks == 6);
    const auto& failures = course.comparison.pair_results()[0].failures;
    CHECK(failures.first + failures.second == 1);
}

TEST_CASE("the failure of a medium ends the comparison with the complete blocks") {
    CampaignFixture campaign;
    give(campaign, {{"exfat", 20}, {"hfs+j", 20}});
    int formats = 0;
    campaign.watch = [&](const SessionEvent& event) {
        const auto* ended = std::get_if<StepEnded>(&event.body);
        if (ended != nullptr && ended->step.kind == plan::StepKind::check && ++formats == 7)
            campaign.link.answers["format"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
                return fail(Errc::no_medium, "the medium is gone");
            };
    };
    const plan::Plan plan = plan_of(compared(R"({"formats": ["exfat", "hfs+j"], "blocks": 8, "margin_percent": 0.1})"));
    const auto summary = campaign.run(plan);
    REQUIRE(summary);
    const auto told = conclusions(campaign);
    REQUIRE_FALSE(told.empty());
    CHECK_THAT(told.back().text, ContainsSubstring("undecided"));
    CHECK(course_of(campaign, plan).comparison.ended());
    // The session attempted no further block.
    CHECK(course_of(campaign, plan).blocks.size() == 4);
}

TEST_CASE("a format that cannot be made on this medium ends the comparison with bad_request") {
    CampaignFixture campaign;
    campaign.link.answers["format"] = [](const auto&, const auto&) -> Result<nlohmann::json> {
        return fail(Errc::bad_request, "APFS needs at least 16 MiB");
    };
    const auto summary = campaign.run(plan_of(compared(R"({"formats": ["apfs", "exfat"]})")));
    REQUIRE(summary);
    CHECK(campaign.device(0).passes.empty());
    CHECK(std::count_if(campaign.link.calls.begin(), campaign.link.calls.end(),
                        [](const auto& call) { return call.method == "format"; }) == 1);
    CHECK(summary->status_of_left == 2);
    CHECK_THAT(summary->detail, ContainsSubstring("APFS needs at least 16 MiB"));
}

TEST_CASE("a driver change between passes of a format ends the comparison") {
    CampaignFixture campaign;
    give(campaign, {{"exfat", 22}, {"hfs+j", 20}});
    int mounts = 0;
    campaign.watch = [&](const SessionEvent& event) {
        const auto* started = std::get_if<StepStarted>(&event.body);
        if (started != nullptr && started->step.kind == plan::StepKind::mount && ++mounts > 4)
            campaign.link.driver = "exfat-fuse";
    };
    const auto summary = campaign.run(plan_of(two));
    REQUIRE(summary);
    CHECK(campaign.device(0).passes.size() == 4);
    CHECK_THAT(summary->detail, ContainsSubstring("begin a new comparison"));
}

TEST_CASE("a time budget ends a comparison between two passes and records no skipped step") {
    CampaignFixture campaign;
    give(campaign, {{"exfat", 22}, {"hfs+j", 20}});
    // The time budget ends in the middle of the third block.
    int passes = 0;
    campaign.watch = [&](const SessionEvent& event) {
        const auto* started = std::get_if<StepStarted>(&event.body);
        if (started != nullptr && started->step.kind == plan::StepKind::run && ++passes == 5)
            campaign.now += std::chrono::hours(1);
    };
    const plan::Plan plan =
        plan_of(compared(R"({"formats": ["exfat", "hfs+j"], "blocks": 8})", R"(, "time_budget_s": 60)"));
    const auto summary = campaign.run(plan);
    REQUIRE(reason(summary) == "success");
    CHECK(summary->state == store::CampaignState::finished);
    CHECK(campaign.device(0).passes.size() == 5);
    CHECK(campaign.device(0).untested.empty());
    const auto course = course_of(campaign, plan);
    CHECK_FALSE(course.blocks.back().whole);
    CHECK(course.comparison.pair_results()[0].verdict == ComparisonVerdict::out_of_budget);
    CHECK(conclusions(campaign).back().title == "block 3 of at most 9, the last one");
}

TEST_CASE("a format that is decided against both other formats is not measured again") {
    CampaignFixture campaign;
    give(campaign, {{"exfat", 20}, {"hfs+j", 20.1}, {"apfs", 5}});
    const plan::Plan plan =
        plan_of(compared(R"({"formats": ["exfat", "hfs+j", "apfs"], "blocks": 12, "margin_percent": 0.3})"));
    REQUIRE(campaign.run(plan));
    std::map<std::string, int> passes;
    for (const store::PassView& pass : campaign.device(0).passes) ++passes[pass.pass.format];
    CHECK(passes["apfs"] < passes["exfat"]);
    CHECK(passes["exfat"] == passes["hfs+j"]);
}

TEST_CASE("an abandoned comparison lists only its first block as untested") {
    const plan::Plan plan = plan_of(two);
    CampaignFixture campaign;
    give(campaign, {{"exfat", 22}, {"hfs+j", 20}});
    int passes = 0;
    campaign.watch = [&](const SessionEvent& event) {
        const auto* ended = std::get_if<StepEnded>(&event.body);
        if (ended != nullptr && ended->step.kind == plan::StepKind::run && ++passes == 4)
            campaign.stop.request("enough");
    };
    REQUIRE(campaign.run(plan));
    const auto closed = abandon(campaign.store, "c1");
    REQUIRE(reason(closed) == "success");
    CHECK(campaign.device(0).untested.empty());
}

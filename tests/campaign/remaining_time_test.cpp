// SPDX-License-Identifier: GPL-3.0-or-later
/// The remaining time of a running campaign, for media whose slowness the test knows.
#include "host/campaign/remaining_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "tests/campaign/campaign_fixture.hpp"

using namespace mediarig;
using namespace mediarig::campaign;
using namespace std::chrono_literals;

namespace {

constexpr Bytes estimated_size = 4_GiB;

plan::Plan plan_of_media(std::size_t media, std::uint32_t repeats, const std::string& more = "") {
    std::string list;
    for (std::size_t i = 0; i < media; ++i)
        list += (i > 0 ? "," : "") + fmt::format(R"({{"name":"m{0}","path":"/dev/sd{0}","confirm":"S{0}"}})", i);
    return plan_of(fmt::format(R"({{"mediarig_plan":1,"name":"t","media":[{}],"repeats":{},)"
                               R"("suites":[{{"suite":"verify","where":"raw"}}]{}}})",
                               list, repeats, more));
}

/// A campaign whose steps take `slowness` times the estimates of the plan.
struct EstimatedCampaign {
    plan::Plan plan;
    std::vector<plan::Step> steps = plan::unroll(plan);
    RemainingTime remaining;
    double slowness{1};
    bool shows_its_rate{}; ///< finished runs report cells with the true rate, which changes the estimate
    std::chrono::nanoseconds now{};
    std::size_t told{};

    EstimatedCampaign(plan::Plan of, std::size_t lanes) : plan(std::move(of)), remaining(plan, steps, lanes) {}

    std::optional<TimeLeft> tell(EventBody body) {
        return remaining.take({.since_start = now, .body = std::move(body)});
    }
    std::optional<TimeLeft> identify(std::size_t medium) {
        media::Medium identity;
        identity.size = estimated_size;
        return tell(MediumIdentified{.medium = plan.media[medium].name, .identity = identity});
    }
    [[nodiscard]] static std::chrono::seconds estimate(const plan::Step& step) {
        return plan::estimate(step, estimated_size, assumed_rate)->time;
    }
    [[nodiscard]] std::chrono::seconds estimate_of_all() const {
        std::chrono::seconds sum{};
        for (const plan::Step& step : steps) sum += estimate(step);
        return sum;
    }
    /// Each reported remaining time with the moment of the report.
    using Heard = std::vector<std::pair<std::chrono::nanoseconds, TimeLeft>>;
    void take(const plan::Step& step, Heard& heard) {
        const auto hear = [&](const std::optional<TimeLeft>& left) {
            if (left) heard.emplace_back(now, *left);
        };
        const std::size_t index = told++;
        hear(tell(StepStarted{.index = index, .step = step, .medium = "", .expected = expected_of(step)}));
        const auto takes = std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::duration<double>(estimate(step)) * slowness);
        const auto began = now;
        for (std::uint64_t part = 1; part <= 50; ++part) {
            now = began + takes * part / 50;
            hear(tell(StepProgress{.index = index, .phase = "", .done = {part}, .total = {50}}));
        }
        if (shows_its_rate && step.kind == plan::StepKind::run)
            hear(tell(CellFinished{.medium = "m", .step = step, .result = cell_of_its_rate()}));
        hear(tell(StepEnded{.index = index, .step = step}));
        if (step.kind == plan::StepKind::identify) hear(identify(step.medium));
    }
    /// The estimate of a session that knows the rate from the first pass on.
    [[nodiscard]] std::chrono::seconds expected_of(const plan::Step& step) const {
        if (!shows_its_rate || step.kind != plan::StepKind::run || step.repeat == 1) return estimate(step);
        return std::chrono::round<std::chrono::seconds>(std::chrono::duration<double>(estimate(step)) * slowness);
    }
    [[nodiscard]] workload::CellResult cell_of_its_rate() const {
        workload::CellResult cell{.cell = {.id = "w", .table = "w", .block = 1_MiB, .volume = 1_GiB}, .moved = 1_GiB};
        cell.elapsed = 1s;
        const double in_a_second = plan::rate_seen(std::span(&cell, 1))->bytes_per_second;
        cell.elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::duration<double>(in_a_second * slowness / assumed_rate.bytes_per_second));
        return cell;
    }
    Heard take_all() {
        Heard heard;
        for (const plan::Step& step : steps) take(step, heard);
        return heard;
    }
};

} // namespace

TEST_CASE("the remaining time is unknown before a medium is identified") {
    EstimatedCampaign campaign(plan_of_media(1, 1), 1);
    CHECK(!campaign.tell(CampaignStarted{.campaign = "c", .name = "", .steps = campaign.steps.size()}));
    CHECK(!campaign.tell(StepStarted{.index = 0, .step = campaign.steps[0], .medium = "m0"}));
    const auto left = campaign.identify(0);
    REQUIRE(left);
    CHECK(left->left == campaign.estimate_of_all());
    CHECK(!left->within);
    CHECK(!left->at_most);
}

TEST_CASE("the remaining time is reported every two seconds and at the start of a pass") {
    EstimatedCampaign campaign(plan_of_media(1, 2), 1);
    EstimatedCampaign::Heard heard;
    for (const plan::Step& step : campaign.steps) campaign.take(step, heard);
    REQUIRE(heard.size() > 10);
    std::size_t sooner = 0;
    for (std::size_t i = 1; i < heard.size(); ++i)
        if (heard[i].first - heard[i - 1].first < 2s) ++sooner;
    CHECK(sooner <= 2);
    CHECK(heard.back().second.left < 10s);
}

TEST_CASE("the remaining time is reported again after two seconds and not before") {
    EstimatedCampaign campaign(plan_of_media(1, 1), 1);
    REQUIRE(campaign.identify(0));
    campaign.now = 2s - 1ns;
    CHECK(!campaign.identify(0));
    campaign.now = 2s;
    CHECK(campaign.identify(0));
}

TEST_CASE("the first pass of a slow medium changes the remaining time, and the true time is within the uncertainty") {
    EstimatedCampaign campaign(plan_of_media(1, 3), 1);
    campaign.slowness = GENERATE(0.5, 1.0, 3.0);
    const auto heard = campaign.take_all();
    const auto end = campaign.now;
    const auto first_pass = end / 3;
    std::size_t checked = 0;
    for (const auto& [at, left] : heard) {
        if (at < first_pass / 5) continue;
        ++checked;
        CAPTURE(campaign.slowness, at.count(), left.left.count());
        REQUIRE(left.within);
        const double truth = std::chrono::duration<double>(end - at).count();
        const auto told = static_cast<double>(left.left.count());
        CHECK(std::abs(told - truth) <= static_cast<double>(left.within->count()) + 2 + 0.02 * truth);
    }
    CHECK(checked > 20);
}

TEST_CASE("the remaining time has no uncertainty if rate and step durations agree") {
    EstimatedCampaign campaign(plan_of_media(1, 3), 1);
    campaign.slowness = GENERATE(0.5, 3.0);
    campaign.shows_its_rate = true;
    const auto heard = campaign.take_all();
    const auto end = campaign.now;
    // The checked time is in the second of three passes, after the first pass has shown the rate.
    for (const auto& [at, left] : heard) {
        if (at < end * 45 / 100 || at > end * 60 / 100) continue;
        CAPTURE(campaign.slowness, at.count(), left.left.count());
        const double truth = std::chrono::duration<double>(end - at).count();
        CHECK(std::abs(static_cast<double>(left.left.count()) - truth) < 0.05 * truth);
    }
    REQUIRE(!heard.empty());
    const auto last = std::ranges::find_if(heard, [&](const auto& each) { return each.first > end * 70 / 100; });
    REQUIRE(last != heard.end());
    REQUIRE(last->second.within);
    CHECK(last->second.within->count() < last->second.left.count());
}

TEST_CASE("the remaining time of media in parallel is that of the longest lane") {
    EstimatedCampaign one(plan_of_media(4, 1), 1), four(plan_of_media(4, 1), 4), two(plan_of_media(4, 1), 2);
    // Media that are not identified yet are assumed to be like the first medium.
    const auto in_one = one.identify(0), in_two = two.identify(0), in_four = four.identify(0);
    REQUIRE((in_one && in_two && in_four));
    CHECK(in_one->left == one.estimate_of_all());
    CHECK(std::abs(in_two->left.count() * 2 - in_one->left.count()) <= 2);
    CHECK(std::abs(in_four->left.count() * 4 - in_one->left.count()) <= 4);
}

TEST_CASE("skipped steps add no remaining time") {
    EstimatedCampaign campaign(plan_of_media(2, 1), 1);
    (void)campaign.identify(0);
    for (const plan::Step& step : campaign.steps)
        if (step.medium == 0)
            (void)campaign.tell(StepEnded{.index = campaign.told++, .step = step, .how = StepEnded::How::skipped});
    campaign.now = 3s;
    const auto left = campaign.tell(StepStarted{.index = campaign.told, .step = campaign.steps.back(), .medium = "m1"});
    // After the verdict of the other medium, no work remains for it.
    REQUIRE(left);
    CHECK(left->left == 0s);
}

TEST_CASE("a time budget bounds the remaining time") {
    EstimatedCampaign campaign(plan_of_media(1, 50, R"(,"time_budget_s":600)"), 1);
    const auto left = campaign.identify(0);
    REQUIRE(left);
    CHECK(left->left == 600s);
    CHECK(left->at_most);
}

TEST_CASE("the remaining time of a comparison is an upper bound, unknown without a budget") {
    const auto comparison = [](const char* budget) {
        return plan_of(
            fmt::format(R"({{"mediarig_plan":1,"name":"t","media":[{{"name":"m0","path":"/dev/sdx","confirm":"S"}}],)"
                        R"("compare":{{"formats":["exfat","fat32"],"blocks":{}}}}})",
                        budget));
    };
    EstimatedCampaign limited(comparison("6"), 1), endless(comparison("\"endless\""), 1);
    const auto left = limited.identify(0);
    REQUIRE(left);
    CHECK(left->at_most);
    CHECK(left->left == limited.estimate_of_all());
    CHECK(!endless.identify(0));
}

TEST_CASE("a campaign reports its remaining time until its end only") {
    CampaignFixture fixture;
    fixture.watch = [&](const SessionEvent&) { fixture.now += 3s; };
    REQUIRE(fixture.run(plan_of_media(1, 1)));
    CHECK(std::holds_alternative<CampaignEnded>(fixture.events.back().body));
}

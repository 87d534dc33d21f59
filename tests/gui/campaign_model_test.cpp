// SPDX-License-Identifier: GPL-3.0-or-later
/// The window's model of a running campaign.
#include "host/gui/models/campaign_model.hpp"
#include "tests/catch.hpp"
#include "tests/cli/demo_events.hpp"

using namespace mediarig;
using namespace mediarig::gui;
using namespace std::chrono_literals;

namespace {

plan::Step run_step() {
    return {.key = "m0.r1.raw.verify.run",
            .kind = plan::StepKind::run,
            .format_name = "raw",
            .entry = "verify",
            .pass = "m0.r1.raw.verify"};
}

} // namespace

TEST_CASE("the model of a campaign contains the same lines as a terminal shows") {
    CampaignModel model;
    cli::ProgressView terminal(cli::ProgressStyle::plain, 80);
    std::string expected, shown;
    for (const auto& event : cli::demo_events()) {
        expected += terminal.show(event);
        model.take(event);
    }
    for (const std::string& line : model.lines()) shown += line + '\n';
    CHECK(shown == expected);
    REQUIRE(model.ended());
    CHECK(model.ended()->state == store::CampaignState::finished);
    for (const Lane& lane : model.lanes()) CHECK(!lane.step);
}

TEST_CASE("each of 64 media has a lane with a bounded number of rates") {
    CampaignModel model;
    model.take({0s, campaign::CampaignStarted{.campaign = "c", .name = "", .steps = 64}});
    for (std::size_t i = 0; i < 64; ++i)
        model.take({0s, campaign::StepStarted{.index = i, .step = run_step(), .medium = "m" + std::to_string(i)}});
    for (std::uint64_t tick = 1; tick <= 2000; ++tick)
        for (std::size_t i : {0u, 63u})
            model.take({std::chrono::milliseconds(250 * tick),
                        campaign::StepProgress{.index = i, .phase = "write", .done = {tick << 20}, .total = 4_GiB}});
    REQUIRE(model.lanes().size() == 64);
    CHECK(model.begun() == 64);
    CHECK(model.steps() == 64);
    CHECK(model.lanes()[63].rates.size() == CampaignModel::most_rates);
    CHECK(model.lanes()[63].rates.back() == Approx(4 << 20));
    CHECK(model.lanes()[1].rates.empty());
}

TEST_CASE("the remaining time counts down between two reports") {
    CampaignModel model;
    CHECK(!model.left());
    model.take({10s, campaign::TimeLeft{.left = 100s, .within = 20s, .at_most = false}});
    REQUIRE(model.left());
    CHECK(model.left()->left == 100s);
    CHECK(model.left()->within == 20s);
    model.take({15s, campaign::StepProgress{.index = 0, .phase = "write", .done = {1}, .total = {2}}});
    CHECK(model.left()->left == 95s);
    model.take({500s, campaign::StepProgress{.index = 0, .phase = "write", .done = {1}, .total = {2}}});
    CHECK(model.left()->left == 0s);
    model.take({501s, campaign::CampaignEnded{.campaign = "c", .state = store::CampaignState::finished, .detail = {}}});
    CHECK(!model.left());
}

TEST_CASE("the temperature of a medium is its last reading, and unset without a sensor") {
    CampaignModel model;
    media::Medium medium;
    model.take({0s, campaign::MediumIdentified{.medium = "stick", .identity = medium}});
    medium.smart = media::SmartReport{};
    medium.smart->temperature_c = 31;
    model.take({0s, campaign::MediumIdentified{.medium = "disk", .identity = medium}});
    REQUIRE(model.lanes().size() == 2);
    CHECK(!model.lanes()[0].celsius);
    CHECK(model.lanes()[1].celsius == 31);
    model.take({9s, campaign::TemperatureRead{.medium = "disk", .celsius = 44.5}});
    CHECK(model.lanes()[1].celsius == 44.5);
}

TEST_CASE("a pause and a verdict remain known until they change") {
    CampaignModel model;
    model.take({0s, campaign::PauseChanged{true}});
    CHECK(model.paused());
    model.take({0s, campaign::PauseChanged{false}});
    CHECK(!model.paused());
    model.take({0s, campaign::VerdictReached{.medium = "m", .verdict = {.grade = measure::Grade::fake}}});
    REQUIRE(model.lanes().size() == 1);
    CHECK(model.lanes()[0].grade == measure::Grade::fake);
    CHECK(!model.lanes()[0].verdict.empty());
}

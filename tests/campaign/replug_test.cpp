// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests campaigns that cut the power of a medium between writing and reading.
#include "tests/campaign/campaign_fixture.hpp"

using namespace mediarig;
using namespace mediarig::campaign;
using measure::Grade;

namespace {

using workload::PowerCycle;

/// Replugs the medium of the fake agent when asked.
class ReplugOperator final : public rig::Operator {
public:
    explicit ReplugOperator(std::function<void()> obey) : obey_(std::move(obey)) {}
    void tell(const std::string&) override { obey_(); }
    boost::asio::awaitable<std::optional<std::string>> hear(std::chrono::milliseconds) override {
        co_return std::nullopt;
    }

private:
    std::function<void()> obey_;
};

const std::string replugged_stick = R"({
    "mediarig_plan": 1, "name": "replug",
    "media": [{"name": "x", "path": "/dev/sdx", "confirm": "SERIAL-X"}],
    "suites": [{"suite": "verify", "where": "raw", "replug": true}]
})";
const std::string replugged_slot = R"({
    "mediarig_plan": 1, "name": "replug",
    "media": [{"slot": 1}],
    "suites": [{"suite": "verify", "where": "raw", "replug": true}]
})";

struct ReplugCampaign : CampaignFixture {
    std::vector<PowerCycle> jobs; ///< in order
    workload::CapacityVerdict after{workload::CapacityVerdict::good};
    bool fails_to_write{};

    ReplugCampaign() {
        link.verify = [this](const workload::VerifyJob& job) {
            jobs.push_back(job.power_cycle);
            auto outcome = agent::FakeAgentLink::default_verify(job);
            outcome.speeds.push_back({.access = job.power_cycle == PowerCycle::done
                                                    ? workload::Access::sequential_read
                                                    : workload::Access::sequential_write});
            if (job.power_cycle != PowerCycle::due || fails_to_write) outcome.verdict = after;
            return outcome;
        };
    }
    const workload::VerifyOutcome& outcome() { return *device(0).passes.at(0).end->verify; }
};

} // namespace

TEST_CASE("the operator replugs a medium between writing and reading, and the verdict names it") {
    ReplugCampaign campaign;
    ReplugOperator person([&] {
        media::Medium back = campaign.link.media.at("/dev/sdx");
        campaign.link.media.erase("/dev/sdx");
        back.node = "/dev/sdq";
        back.disk_sequence = 7;
        campaign.link.media["/dev/sdq"] = back;
    });
    campaign.person = &person;
    const auto summary = campaign.run(plan_of(replugged_stick));
    REQUIRE(reason(summary) == "success");
    CHECK(summary->grades.at(0).grade == Grade::pass);
    CHECK(campaign.jobs == std::vector{PowerCycle::due, PowerCycle::done});
    CHECK(campaign.outcome().power_cycled == "removed and connected again by the operator");
    CHECK(campaign.outcome().speeds.size() == 2);
    CHECK_THAT(campaign.device(0).verdict->reasons.front(), ContainsSubstring("read back after a loss of power"));
    CHECK(campaign.link.open_claims() == 0);
}

TEST_CASE("a rig cuts the power of a medium in a slot") {
    ReplugCampaign campaign;
    const auto summary = campaign.run(plan_of(replugged_slot));
    REQUIRE(reason(summary) == "success");
    CHECK(campaign.jobs == std::vector{PowerCycle::due, PowerCycle::done});
    CHECK(campaign.rig.log == std::vector<std::string>{"load 1", "unload 1", "load 1", "unload 1"});
    CHECK(campaign.outcome().power_cycled == "fake rig");
}

TEST_CASE("a medium that fails while it is written keeps its power, and its fault is judged") {
    ReplugCampaign campaign;
    campaign.fails_to_write = true;
    campaign.after = workload::CapacityVerdict::damaged;
    REQUIRE(campaign.run(plan_of(replugged_slot)));
    CHECK(campaign.jobs == std::vector{PowerCycle::due});
    CHECK(campaign.outcome().power_cycled.empty());
}

TEST_CASE("without a way to cut the power nothing is written") {
    ReplugCampaign campaign;
    const auto summary = campaign.run(plan_of(replugged_stick));
    REQUIRE(reason(summary) == "success");
    CHECK(campaign.jobs.empty());
    CHECK(exit_status(*summary) == 2);
    CHECK_THAT(summary->detail, ContainsSubstring("nothing can cut the power"));
}

TEST_CASE("a medium that does not return after its removal, or another medium, is not judged") {
    ReplugCampaign campaign;
    const bool another = GENERATE(false, true);
    ReplugOperator person([&] {
        campaign.link.media.erase("/dev/sdx");
        if (another) campaign.link.media["/dev/sdx"] = stick("/dev/sdx", "SERIAL-OTHER");
    });
    campaign.person = &person;
    const auto summary = campaign.run(plan_of(replugged_stick));
    REQUIRE(reason(summary) == "success");
    CHECK(campaign.jobs == std::vector{PowerCycle::due});
    CHECK(exit_status(*summary) == 3);
    CHECK(campaign.device(0).verdict->grade == Grade::inconclusive);
    CHECK(campaign.link.open_claims() == 0);
}

TEST_CASE("a verify without replug names the single power cycle in its verdict") {
    ReplugCampaign campaign;
    std::string plan = replugged_stick;
    plan.replace(plan.find(R"(, "replug": true)"), std::string(R"(, "replug": true)").size(), "");
    REQUIRE(campaign.run(plan_of(plan)));
    CHECK(campaign.jobs == std::vector{PowerCycle::none});
    CHECK_THAT(campaign.device(0).verdict->reasons.front(), ContainsSubstring("in one power cycle"));
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/retest.hpp"

#include "host/app/campaigns.hpp"
#include "host/app/files/campaign_lock.hpp"
#include "host/plan/parse_plan.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::app;
using measure::Grade;

namespace {

const std::string first = "0193b4c1-7a2e-7000-8000-000000000001", second = "0193b4c1-7a2e-7000-8000-000000000002";

plan::Plan plan_with_three_media() {
    auto plan = plan::parse_plan(R"({"mediarig_plan": 1, "name": "lot 7", "suites": ["verify"],
        "media": [{"directory": "/media/a"}, {"directory": "/media/b"}, {"directory": "/media/c"}]})");
    REQUIRE(plan);
    return *plan;
}

struct Tested {
    std::string name;
    Grade grade{};
};

/// Stores a finished campaign of the plan with one verdict for each medium.
void keep(const std::filesystem::path& file, const std::string& id, const plan::Plan& plan,
          const std::vector<Tested>& media, const std::string& retest_of = {},
          store::CampaignState state = store::CampaignState::finished) {
    const auto store = open_results(file);
    REQUIRE(store);
    store::CampaignRecord record{.id = id, .name = plan.name, .plan = plan::kept_text(plan)};
    record.origin.retest_of = retest_of;
    REQUIRE(reason((*store)->begin(record)) == "success");
    for (const Tested& medium : media) {
        store::DeviceRecord device{.key = medium.name, .name = medium.name};
        device.identity.node = "/media/" + medium.name;
        REQUIRE(reason((*store)->put(id, device)) == "success");
        REQUIRE(reason((*store)->add(id, medium.name, measure::Verdict{.grade = medium.grade})) == "success");
    }
    if (state != store::CampaignState::running) REQUIRE(reason((*store)->end(id, state, {})) == "success");
}

std::vector<std::string> media_of(const Result<Retest>& retest) {
    REQUIRE(retest);
    std::vector<std::string> names;
    for (const plan::MediumRef& medium : retest->plan.media) names.push_back(medium.name);
    return names;
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("a retest contains the media with the chosen verdicts in the newest campaign of the plan") {
    const tests::Scratch scratch;
    const std::filesystem::path store = scratch / "r.db";
    const plan::Plan plan = plan_with_three_media();
    keep(store, first, plan, {{"a", Grade::pass}, {"b", Grade::inconclusive}, {"c", Grade::fail}});
    const auto retest = choose_retest(store, plan, {Grade::inconclusive});
    CHECK(media_of(retest) == Names{"b"});
    CHECK(retest->of == first);
    CHECK(retest->plan.suites == plan.suites);
    CHECK(media_of(choose_retest(store, plan, {Grade::inconclusive, Grade::fail})) == Names{"b", "c"});
    CHECK_THAT(reason(choose_retest(store, plan, {Grade::fake, Grade::marginal})),
               ContainsSubstring("campaign 1 has no medium with the verdict FAKE or MARGINAL"));
}

TEST_CASE("a confirmation in the plan does not select another campaign") {
    const tests::Scratch scratch;
    const std::filesystem::path store = scratch / "r.db";
    plan::Plan plan = plan_with_three_media();
    keep(store, first, plan, {{"b", Grade::inconclusive}});
    plan.media[1].confirm = "4C53";
    CHECK(media_of(choose_retest(store, plan, {Grade::inconclusive})) == Names{"b"});
}

TEST_CASE("the newest verdict of a medium decides, also from an earlier retest") {
    const tests::Scratch scratch;
    const std::filesystem::path store = scratch / "r.db";
    const plan::Plan plan = plan_with_three_media();
    keep(store, first, plan, {{"a", Grade::inconclusive}, {"b", Grade::inconclusive}, {"c", Grade::pass}});
    plan::Plan subset = plan;
    subset.media.pop_back();
    keep(store, second, subset, {{"a", Grade::pass}, {"b", Grade::inconclusive}}, first);
    const auto again = choose_retest(store, plan, {Grade::inconclusive});
    CHECK(media_of(again) == Names{"b"});
    CHECK(again->of == first);
}

TEST_CASE("a retest of another plan, of a changed plan, or of a running campaign is refused") {
    const tests::Scratch scratch;
    const std::filesystem::path store = scratch / "r.db";
    plan::Plan plan = plan_with_three_media();
    keep(store, first, plan, {{"a", Grade::inconclusive}}, {}, store::CampaignState::running);
    {
        const auto lock = CampaignLock::take(store, first);
        REQUIRE(lock);
        const auto running = choose_retest(store, plan, {Grade::inconclusive});
        REQUIRE(!running);
        CHECK(running.error().code == Errc::refused);
        CHECK_THAT(running.error().detail, ContainsSubstring("campaign 1 of these media is running"));
    }
    // A campaign whose process was killed is not running.
    CHECK(media_of(choose_retest(store, plan, {Grade::inconclusive})) == Names{"a"});
    plan.repeats = 2;
    CHECK_THAT(reason(choose_retest(store, plan, {Grade::inconclusive})),
               ContainsSubstring("there is no earlier campaign of this plan to retest"));
    CHECK(!choose_retest(scratch / "none.db", plan, {Grade::inconclusive}));
}

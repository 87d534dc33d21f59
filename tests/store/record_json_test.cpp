// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/record_json.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::store;
using nlohmann::json;

namespace {

CampaignRecord sample_record() {
    return {.id = "0193",
            .name = "lot",
            .plan = "{}",
            .origin = {"0.1.0", "host", "6.1", "cpu", "local"},
            .started = TimePoint(std::chrono::nanoseconds(-1)),
            .ended = TimePoint(std::chrono::nanoseconds(std::numeric_limits<std::int64_t>::max())),
            .state = CampaignState::interrupted};
}

measure::Verdict verdict() {
    measure::Verdict result{.grade = measure::Grade::inconclusive, .limits = {}, .reasons = {"a", "b"}};
    measure::LimitResult limit;
    limit.limit.metric = "iops.random_read.ops_per_s";
    limit.limit.max = 0.1;
    limit.values = {1e300, 0.1, std::nan("")};
    limit.grade = measure::Grade::pass;
    result.limits = {limit};
    return result;
}

} // namespace

TEST_CASE("a campaign survives JSON, times before 1970 and at the end of time too") {
    const CampaignRecord before = sample_record();
    const auto after = campaign_from_json(json::parse(text_of(to_json(before))));
    REQUIRE(reason(after) == "success");
    CHECK(after->origin == before.origin);
    CHECK(after->started == before.started);
    CHECK(after->ended == before.ended);
    CHECK(after->state == before.state);
    CHECK(to_json(*after) == to_json(before));
}

TEST_CASE("a verdict survives JSON to the last bit, and what is not a number stays none") {
    const measure::Verdict before = verdict();
    const auto after = verdict_from_json(json::parse(text_of(to_json(before))));
    REQUIRE(reason(after) == "success");
    CHECK(after->grade == before.grade);
    CHECK(after->reasons == before.reasons);
    REQUIRE(after->limits.size() == 1);
    CHECK(after->limits[0].limit == before.limits[0].limit);
    CHECK(after->limits[0].values[1] == 0.1);
    CHECK(std::isnan(after->limits[0].values[2]));
    CHECK_FALSE(after->limits[0].mean);
    CHECK(after->limits[0].grade == measure::Grade::pass);
}

TEST_CASE("states have stable names") {
    for (const auto state :
         {CampaignState::running, CampaignState::finished, CampaignState::interrupted, CampaignState::failed})
        CHECK(campaign_state_from(name_of(state)) == state);
    for (const auto state : {StepState::started, StepState::done, StepState::failed})
        CHECK(step_state_from(name_of(state)) == state);
    CHECK(reason(campaign_state_from("done")) == "'done' is none of running, finished, interrupted, failed");
    CHECK(reason(step_state_from("")) == "'' is none of started, done, failed");
}

TEST_CASE("readers ignore members that they do not know, and name the member that does not fit") {
    json good = to_json(sample_record());
    good["later"] = {{"x", 1}};
    CHECK(campaign_from_json(good));

    struct Row {
        const char* member;
        json value;
        const char* why;
    };
    const Row rows[] = {
        {"id", 7, "campaign: member 'id' is missing or no text"},
        {"started_ns", "now", "campaign: member 'started_ns' is missing or no time in nanoseconds"},
        {"started_ns", 1.5, "campaign: member 'started_ns' is missing or no time in nanoseconds"},
        {"started_ns", ~std::uint64_t{0}, "campaign: member 'started_ns' is missing or no time in nanoseconds"},
        {"ended_ns", "later", "campaign: member 'ended_ns' is no time in nanoseconds"},
        {"state", "odd", "campaign: member 'state' is wrong: 'odd' is none of running, finished, interrupted, failed"},
        {"origin", 1, "campaign: member 'origin' is wrong: origin: not a JSON object"},
        {"origin", json::object(),
         "campaign: member 'origin' is wrong: origin: member 'mediarig_version' is missing or no text"},
    };
    for (const Row& row : rows) {
        json bad = to_json(sample_record());
        bad[row.member] = row.value;
        const auto read = campaign_from_json(bad);
        CHECK(reason(read) == row.why);
        CHECK((!read && read.error().code == Errc::bad_format));
    }
    for (const json& none : {json(), json(1), json("x"), json::array()})
        CHECK(reason(campaign_from_json(none)) == "campaign: not a JSON object");
}

TEST_CASE("each record names itself when a member is missing") {
    const json empty = json::object();
    CHECK(reason(device_from_json(empty)) == "device: member 'key' is missing or no text");
    CHECK(reason(made_format_from_json(empty)) == "made format: member 'step' is missing or no text");
    CHECK(reason(pass_from_json(empty)) == "pass: member 'id' is missing or no text");
    CHECK(reason(pass_end_from_json(empty)) == "end of a pass: member 'ended_ns' is missing or no time in nanoseconds");
    CHECK(reason(finding_record_from_json(empty)) == "finding: member 'pass' is missing or no text");
    CHECK(reason(verdict_from_json(empty)) == "verdict: member 'grade' is missing or no text");

    json pass = {{"id", "p"}, {"device", "d"}, {"format", "raw"}, {"repeat", -1}, {"position", 0}};
    CHECK(reason(pass_from_json(pass)) == "pass: member 'repeat' is missing or no count below 2^32");
    pass["repeat"] = 4'294'967'296;
    CHECK(reason(pass_from_json(pass)) == "pass: member 'repeat' is missing or no count below 2^32");
    pass["repeat"] = 1;
    CHECK(reason(pass_from_json(pass)) == "pass: member 'job' is missing");

    json made = {{"step", "m0.r1.exfat.format"}, {"device", "d"}, {"format", "exfat"}, {"repeat", "x"}};
    CHECK(reason(made_format_from_json(made)) == "made format: member 'repeat' is missing or no count below 2^32");
    made["repeat"] = 1;
    CHECK(reason(made_format_from_json(made)) == "made format: member 'formatted' is missing");
    made["formatted"] = 7;
    CHECK_THAT(reason(made_format_from_json(made)), ContainsSubstring("made format: member 'formatted' is wrong: "));

    json judged = to_json(verdict());
    judged["limits"] = 1;
    CHECK(reason(verdict_from_json(judged)) == "verdict: member 'limits' is missing or no list");
    judged = to_json(verdict());
    judged["reasons"] = {1};
    CHECK(reason(verdict_from_json(judged)) == "verdict: member 'reasons' is no list of texts");
    judged = to_json(verdict());
    judged["limits"][0]["values"] = {"x"};
    CHECK(reason(verdict_from_json(judged)) ==
          "verdict: member 'limits' is wrong: limit result: member 'values' is no list of numbers");
    judged = to_json(verdict());
    judged["limits"][0]["limit"]["guard_percent"] = "x";
    CHECK_THAT(reason(verdict_from_json(judged)),
               ContainsSubstring("limit: member 'guard_percent' is missing or no number"));
    judged = to_json(verdict());
    judged["limits"][0]["mean"] = "x";
    CHECK_THAT(reason(verdict_from_json(judged)), ContainsSubstring("limit result: member 'mean' is no number"));
}

TEST_CASE("text is one line, whatever bytes a medium offers") {
    CHECK(text_of(json("a\nb\xff")) == "\"a\\nb\xef\xbf\xbd\"");
}

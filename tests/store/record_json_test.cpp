// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/record_json.hpp"
#include "host/base/json/json_text.hpp"

#include <cmath>
#include <limits>

#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/store/scripted_campaign.hpp"

using namespace mediarig;
using namespace mediarig::store;
using nlohmann::json;

namespace {

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

std::string unreadable(const auto& record) {
    const auto kept = readable(record);
    if (kept) return "readable";
    CHECK(kept.error().code == Errc::bad_request);
    const std::string begin = "not stored, because it could not be read back: ";
    CHECK(kept.error().detail.starts_with(begin));
    return kept.error().detail.substr(begin.size());
}

} // namespace

TEST_CASE("a campaign's times are in nanoseconds, also before 1970 and at the largest representable time") {
    const CampaignRecord campaign{
        .id = "0193",
        .name = "lot",
        .plan = "{}",
        .origin = {"0.1.0", "host", "6.1", "cpu", "local", "mediarig run p --resume"},
        .started = TimePoint(std::chrono::nanoseconds(-1)),
        .ended = TimePoint(std::chrono::nanoseconds(std::numeric_limits<std::int64_t>::max())),
        .state = CampaignState::interrupted};
    CHECK(to_json(campaign) == json{{"id", "0193"},
                                    {"name", "lot"},
                                    {"plan", "{}"},
                                    {"origin",
                                     {{"mediarig_version", "0.1.0"},
                                      {"host_name", "host"},
                                      {"kernel", "6.1"},
                                      {"cpu", "cpu"},
                                      {"agent", "local"},
                                      {"resume_with", "mediarig run p --resume"},
                                      {"retest_of", ""}}},
                                    {"started_ns", -1},
                                    {"ended_ns", 9223372036854775807},
                                    {"state", "interrupted"}});
}

TEST_CASE("converting a verdict to JSON and back preserves it exactly, including missing numbers") {
    const measure::Verdict before = verdict();
    const auto after = measure::verdict_from_json(json::parse(codec::json_line(to_json(before))));
    REQUIRE(reason(after) == "success");
    CHECK(after->grade == before.grade);
    CHECK(after->reasons == before.reasons);
    REQUIRE(after->limits.size() == 1);
    CHECK(after->limits[0].limit == before.limits[0].limit);
    CHECK(after->limits[0].values[1] == 0.1);
    CHECK(std::isnan(after->limits[0].values[2]));
    CHECK_FALSE(after->limits[0].figure);
    CHECK(after->limits[0].grade == measure::Grade::pass);
}

TEST_CASE("the error for an invalid verdict names the faulty member") {
    struct Row {
        const char* pointer;
        json value;
        const char* why;
    };
    const Row rows[] = {
        {"/grade", "pass",
         "verdict.grade: \"pass\" is not one of PASS, MARGINAL, FAIL, FAKE, FORMATTED, MEASURED, SAMPLED, PROBED, "
         "INCONCLUSIVE"},
        {"/limits", 1, "verdict.limits: must be a list"},
        {"/limits/0", 1, "verdict.limits[0]: must be an object"},
        {"/limits/0/values/1", "x", "verdict.limits[0].values[1]: must be a number"},
        {"/limits/0/figure", "x", "verdict.limits[0].figure: must be a number"},
        {"/limits/0/limit/guard_percent", nullptr, "verdict.limits[0].limit.guard_percent: missing"},
        {"/reasons", json::array({1}), "verdict.reasons[0]: must be a string"},
    };
    for (const Row& row : rows) {
        json bad = to_json(verdict());
        bad["later"] = 1;
        REQUIRE(measure::verdict_from_json(bad));
        bad[json::json_pointer(row.pointer)] = row.value;
        CHECK(reason(measure::verdict_from_json(bad)) == row.why);
    }
    CHECK(reason(measure::verdict_from_json(json::array())) == "verdict: must be an object");
}

TEST_CASE("readable() detects a record that could not be read back without creating JSON") {
    CHECK(unreadable(DeviceRecord{.key = "d"}) == "device.identity.node: missing");
    DeviceRecord device{.key = "d"};
    device.identity.node = "/dev/sdx";
    device.identity.refusals = {{static_cast<media::RefusalKind>(200), ""}};
    CHECK_THAT(unreadable(device), ContainsSubstring("device.identity.refusals[0].kind: \"unlisted\" is not one of "));

    PassRecord pass{.id = "p"};
    pass.job.kind = workload::SweepJob{.cells = {{.id = "c", .block = 0_B}}, .span = 1_MiB};
    CHECK(unreadable(pass) == "pass.job.sweep.cells[0].block: must be a whole number from 1 to 2^64-1");
    pass.job.as<workload::SweepJob>()->cells[0].block = 4_KiB;
    CHECK(unreadable(pass) == "readable");
    pass.job.payload.kind = workload::PayloadKind::given;
    CHECK(unreadable(pass) == "pass.job.payload.given: missing");
    pass.job.payload.given = std::vector<std::uint8_t>((std::size_t{1} << 20) + 1);
    CHECK(unreadable(pass) == "pass.job.payload.given: must have at most 1048576 bytes");

    FormatRecord made;
    made.formatted.elapsed = std::chrono::nanoseconds(-1);
    CHECK(unreadable(made) == "made format.formatted.elapsed_ns: must not be negative");
    made.formatted.elapsed = {};
    made.formatted.partition = media::CreatedPartition{.table = media::TableScheme::none, .number = 1};
    CHECK(unreadable(made) == "made format.formatted.partition.table: must be mbr or gpt");
    made.formatted.partition->table = media::TableScheme::gpt;
    made.formatted.partition->number = 0;
    CHECK(unreadable(made) == "made format.formatted.partition.number: must be a whole number from 1 to 1024");

    workload::CellResult cell = scripted_cell("c", 0, 1);
    CHECK(unreadable(cell) == "readable");
    cell.findings[0].detail = std::string(5000, 'x');
    CHECK(unreadable(cell) == "cell.findings[0].detail: must have at most 4096 bytes");
    cell = scripted_cell("c", 0, 1);
    cell.series[1].worst = std::chrono::nanoseconds(-1);
    CHECK(unreadable(cell) == "cell.series[1].worst_ns: must not be negative");
    CHECK(unreadable(media::CheckReport{.said = std::vector<std::string>(5000)}) ==
          "check.said: must have at most 4096 elements");
    CHECK(unreadable(measure::Finding{.detail = std::string(5000, 'x')}) ==
          "finding.detail: must have at most 4096 bytes");
}

TEST_CASE("JSON text has one line for any bytes of a medium") {
    CHECK(codec::json_line(json("a\nb\xff")) == "\"a\\nb\xef\xbf\xbd\"");
}

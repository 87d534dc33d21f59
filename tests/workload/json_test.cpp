// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/json.hpp"

#include <functional>

#include "host/workload/outcome.hpp"
#include "host/workload/suites/suite.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::workload;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

JobSpec some_job() {
    suites::SuiteRequest request;
    request.name = "quickbench";
    request.quick = true;
    request.engine = Engine::uring;
    request.queue_depth = 4;
    request.payload = Payload{.kind = PayloadKind::given, .seed = ~std::uint64_t{0}, .given = {0, 1, 254, 255}};
    request.keep_raw_log = true;
    return *suites::expand(request, 1_GiB);
}

CellResult some_result() {
    CellResult result;
    result.cell = some_job().as<SweepJob>()->cells.front();
    result.moved = 12_KiB;
    result.operations = 3;
    result.elapsed = milliseconds(5);
    result.sync_time = milliseconds(2);
    result.prepare_time = milliseconds(1);
    measure::HistogramRecorder latencies;
    for (const std::uint64_t ns : {100u, 100u, 900'000u}) latencies.record(ns);
    result.latency = latencies.histogram();
    result.series = {{seconds(1), 8_KiB, 2, milliseconds(1)}, {milliseconds(5), 4_KiB, 1, milliseconds(3)}};
    result.evidence = {.used = CachePolicy::dropped,
                       .sync = SyncLevel::each_io,
                       .engine = Engine::uring,
                       .page_cache_dropped = true,
                       .write_cache_flushed = true,
                       .sync_calls = 1,
                       .alignment = 4_KiB,
                       .device_read = 1_MiB,
                       .device_written = 0_B};
    result.findings = {{.kind = measure::FindingKind::io_error,
                        .severity = measure::Severity::fault,
                        .detail = "read failed: Input/output error",
                        .offset = 4_KiB,
                        .length = 512_B,
                        .count = 2}};
    result.end = CellEnd::time;
    return result;
}

} // namespace

TEST_CASE("a sweep survives a JSON round trip") {
    const JobSpec job = some_job();
    const auto again = job_from_json(json::parse(to_json(job).dump()));
    REQUIRE(reason(again) == "success");
    CHECK(*again == job);
}

TEST_CASE("a verify job survives a JSON round trip") {
    JobSpec job;
    job.suite = "verify";
    job.suite_version = 3;
    job.quick = true;
    job.kind = VerifyJob{.span = 1_GiB, .chunk = 256_KiB, .generation = 0xFFFF'FFFF};
    job.order_seed = 7;
    CHECK(job_from_json(to_json(job)).value() == job);
}

TEST_CASE("omitted members have default values, and unknown members are ignored") {
    const auto job = job_from_json(json::parse(R"({"suite":"x","verify":{},"colour":"green","payload":{"colour":1}})"));
    REQUIRE(reason(job) == "success");
    JobSpec expected;
    expected.suite = "x";
    expected.kind = VerifyJob{};
    CHECK(*job == expected);
}

TEST_CASE("a cell result without its raw log survives a JSON round trip") {
    CellResult result = some_result();
    result.raw_log = {1, 2, 3};
    const auto again = cell_result_from_json(json::parse(to_json(result).dump()));
    REQUIRE(reason(again) == "success");
    CHECK(again->cell == result.cell);
    CHECK(again->moved == result.moved);
    CHECK(again->operations == result.operations);
    CHECK(again->elapsed == result.elapsed);
    CHECK(again->sync_time == result.sync_time);
    CHECK(again->prepare_time == result.prepare_time);
    CHECK(again->latency == result.latency);
    CHECK(again->series == result.series);
    CHECK(again->evidence == result.evidence);
    CHECK(again->findings == result.findings);
    CHECK(again->end == result.end);
    CHECK(again->raw_log.empty());
}

TEST_CASE("a verify outcome survives a JSON round trip") {
    VerifyOutcome outcome;
    outcome.claimed = 64_GiB;
    outcome.written = 63_GiB;
    outcome.good = 8_GiB;
    outcome.damaged = {{0_B, 4_KiB, DamageKind::misplaced, 8_GiB}, {8_KiB, 512_B, DamageKind::unreadable, {}}};
    outcome.damaged_bytes = 55_GiB;
    outcome.true_capacity = 8_GiB;
    outcome.verdict = CapacityVerdict::fake;
    outcome.fake = FakeKind::wrap;
    outcome.speeds = {{.access = Access::sequential_write,
                       .region = 16_MiB,
                       .median_bytes_per_second = 20'000'000,
                       .slow_below = 10'000'000,
                       .slow = {{32_MiB, 16_MiB, 5'000'000}},
                       .stalls = {{33_MiB, std::chrono::milliseconds(800)}, {1_MiB, std::chrono::milliseconds(70)}}}};
    outcome.resumed_at = 256_MiB;
    outcome.probe =
        ProbeEffort{.assumed_cache = 256_MiB, .read = 20_MiB, .rounds = 7, .elapsed = std::chrono::milliseconds(1234)};
    outcome.places = {
        {.offset = 0_B, .length = 4_KiB, .state = PlaceState::slow, .took = std::chrono::milliseconds(20)},
        {.offset = 8_GiB, .length = 4_KiB, .state = PlaceState::not_kept}};
    outcome.restored = RestoreReport{.places = 230, .bytes = 65_MiB, .written = 65_MiB, .lost = 0};
    const auto again = verify_outcome_from_json(json::parse(to_json(outcome).dump()));
    REQUIRE(reason(again) == "success");
    CHECK(again->claimed == outcome.claimed);
    CHECK(again->written == outcome.written);
    CHECK(again->good == outcome.good);
    CHECK(again->damaged == outcome.damaged);
    CHECK(again->damaged_bytes == outcome.damaged_bytes);
    CHECK(again->true_capacity == outcome.true_capacity);
    CHECK(again->verdict == outcome.verdict);
    CHECK(again->fake == outcome.fake);
    CHECK(again->speeds == outcome.speeds);
    CHECK(again->resumed_at == outcome.resumed_at);
    CHECK(again->probe == outcome.probe);
    CHECK(again->places == outcome.places);
    CHECK(again->restored == outcome.restored);
}

TEST_CASE("a report of a restore survives a JSON round trip") {
    const RestoreReport report{.places = 3, .bytes = 12_KiB, .written = 8_KiB, .lost = 2, .first_lost = 4_KiB};
    CHECK(restore_report_from_json(json::parse(to_json(report).dump())) == report);
    CHECK(reason(restore_report_from_json(json::object())) == "places: missing");
}

TEST_CASE("a probe job survives a JSON round trip") {
    JobSpec job;
    job.suite = "capacity";
    job.kind = ProbeJob{.assumed_cache = 64_MiB, .run_time = std::chrono::seconds(8), .generation = 9};
    for (const bool keeps_data : {false, true}) {
        job.as<ProbeJob>()->keeps_data = keeps_data;
        job.as<ProbeJob>()->widen_time = keeps_data ? std::chrono::minutes(9) : std::chrono::minutes(0);
        const auto again = job_from_json(json::parse(to_json(job).dump()));
        REQUIRE(reason(again) == "success");
        CHECK(*again == job);
    }
}

TEST_CASE("the JSON name of an access is shorter than its enumerator") {
    CHECK(choices<Access>() == std::vector<std::string>{"seq_read", "seq_write", "random_read", "random_write"});
}

TEST_CASE("reading an invalid job fails and names the invalid member") {
    struct Row {
        const char* why;
        std::function<void(json&)> spoil;
    };
    const Row rows[] = {
        {"suite: missing", [](json& j) { j.erase("suite"); }},
        {"suite: must be a string", [](json& j) { j["suite"] = 1; }},
        {"suite: must have at most 200 bytes", [](json& j) { j["suite"] = std::string(201, 'x'); }},
        {"engine: \"libaio\" is not one of psync, uring", [](json& j) { j["engine"] = "libaio"; }},
        {"order_seed: must be a whole number from 0 to 2^64-1", [](json& j) { j["order_seed"] = -1; }},
        {"order_seed: must be a whole number from 0 to 2^64-1", [](json& j) { j["order_seed"] = 1.5; }},
        {"keep_raw_log: must be true or false", [](json& j) { j["keep_raw_log"] = 1; }},
        {"payload: must be an object", [](json& j) { j["payload"] = "zeros"; }},
        {"payload.given: must be hexadecimal", [](json& j) { j["payload"]["given"] = "0g"; }},
        {"payload.given: must be hexadecimal", [](json& j) { j["payload"]["given"] = "012"; }},
        {"payload.given: missing", [](json& j) { j["payload"].erase("given"); }},
        {"payload.given: must have at most 1048576 bytes",
         [](json& j) { j["payload"]["given"] = std::string((1 << 21) + 2, '0'); }},
        {"sweep.span: missing", [](json& j) { j["sweep"].erase("span"); }},
        {"sweep.cells: missing", [](json& j) { j["sweep"].erase("cells"); }},
        {"sweep.cells: must have at most 4096 elements", [](json& j) { j["sweep"]["cells"] = std::vector<int>(4097); }},
        {"sweep.cells[2]: must be an object", [](json& j) { j["sweep"]["cells"][2] = 5; }},
        {"sweep.cells[1].block: must be a whole number from 1 to 2^64-1",
         [](json& j) { j["sweep"]["cells"][1]["block"] = 0; }},
        {"sweep.cells[1].queue_depth: must be a whole number from 1 to 4096",
         [](json& j) { j["sweep"]["cells"][1]["queue_depth"] = 0; }},
        {"sweep.cells[1].queue_depth: must be a whole number from 1 to 4096",
         [](json& j) { j["sweep"]["cells"][1]["queue_depth"] = 5000; }},
        {"sweep.cells[0].time_limit_ns: must be a whole number from 0 to 2^63-1",
         [](json& j) { j["sweep"]["cells"][0]["time_limit_ns"] = ~std::uint64_t{0}; }},
        {"sweep: exactly one of sweep, verify, probe, mix, files and blog is needed",
         [](json& j) { j["verify"] = json::object(); }},
        {"sweep: exactly one of sweep, verify, probe, mix, files and blog is needed",
         [](json& j) { j.erase("sweep"); }},
    };
    for (const Row& row : rows) {
        json value = to_json(some_job());
        row.spoil(value);
        const auto job = job_from_json(value);
        CHECK(reason(job) == row.why);
        CHECK((job || job.error().code == Errc::bad_format));
    }
    CHECK(reason(job_from_json(json::array())) == "message: must be an object");
}

TEST_CASE("reading an invalid result fails and names the invalid member") {
    struct Row {
        const char* why;
        std::function<void(json&)> spoil;
    };
    const Row rows[] = {
        {"cell: missing", [](json& j) { j.erase("cell"); }},
        {"moved: missing", [](json& j) { j.erase("moved"); }},
        {"latency.buckets: must be a list of [bucket, count]", [](json& j) { j["latency"]["buckets"] = {{1}}; }},
        {"latency.buckets: must be a list of [bucket, count]",
         [](json& j) {
             j["latency"]["buckets"] = {{std::uint64_t{1} << 40, 1}};
         }},
        {"latency.buckets: out of range or repeated",
         [](json& j) {
             j["latency"]["buckets"] = {{1u, 1u}, {1u, 1u}};
         }},
        {"series: must be a list", [](json& j) { j["series"] = 1; }},
        {"series[1].operations: missing", [](json& j) { j["series"][1].erase("operations"); }},
        {"evidence.used: \"warm\" is not one of direct, dropped, cached",
         [](json& j) { j["evidence"]["used"] = "warm"; }},
        {"findings[0].kind: missing", [](json& j) { j["findings"][0].erase("kind"); }},
        {"findings: must have at most 10000 elements", [](json& j) { j["findings"] = std::vector<int>(10'001); }},
        {"end: \"soon\" is not one of volume, time, error, cancelled", [](json& j) { j["end"] = "soon"; }},
    };
    for (const Row& row : rows) {
        json value = to_json(some_result());
        row.spoil(value);
        CHECK(reason(cell_result_from_json(value)) == row.why);
    }
    CHECK(reason(verify_outcome_from_json(json::parse(
              R"({"claimed":1,"written":1,"good":1,"damaged":[{"offset":0}]})"))) == "damaged[0].length: missing");
    CHECK(reason(verify_outcome_from_json(json::parse(
              R"({"claimed":1,"written":1,"good":1,"speeds":[{"access":"seq_read","slow":[{"offset":0}]}]})"))) ==
          "speeds[0].slow[0].length: missing");
    CHECK(reason(verify_outcome_from_json(json::parse(R"({"claimed":1,"written":1,"good":1,"verdict":"bad"})"))) ==
          "verdict: \"bad\" is not one of good, fake, damaged, inconclusive");
    CHECK(reason(measure::finding_from_json(json::object())) == "kind: missing");
}

TEST_CASE("the job of each suite survives a JSON round trip") {
    for (const auto* suite : suites::all_suites()) {
        CAPTURE(suite->name);
        suites::SuiteRequest request;
        request.name = suite->name;
        for (const bool quick : {false, true}) {
            request.quick = quick;
            const auto job = suites::expand(request, Bytes{std::uint64_t{1} << 40});
            REQUIRE(reason(job) == "success");
            const auto back = job_from_json(to_json(*job));
            REQUIRE(reason(back) == "success");
            CHECK(*back == *job);
        }
    }
}

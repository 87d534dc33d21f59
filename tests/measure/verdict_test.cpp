// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/verdict.hpp"

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::measure;

namespace {

constexpr const char* metric = "seq_write.1024KB.mb_per_s";

Limit at_least(double min, double guard_percent = 5) {
    return {
        .suite = "quickbench", .metric = metric, .format = "", .min = min, .max = {}, .guard_percent = guard_percent};
}
Limit at_most(double max, double guard_percent = 5) {
    return {
        .suite = "quickbench", .metric = metric, .format = "", .min = {}, .max = max, .guard_percent = guard_percent};
}
MetricValues values(std::vector<double> passes, const std::string& format = "exfat") {
    return {.suite = "quickbench", .metric = metric, .format = format, .values = std::move(passes)};
}
Finding fault(FindingKind kind, const std::string& detail) {
    return {.kind = kind, .severity = Severity::fault, .detail = detail};
}
Grade grade(const Limit& limit, std::vector<double> passes) {
    return judge({limit}, {values(std::move(passes))}, {}, {}).grade;
}

} // namespace

TEST_CASE("a limit is met, missed or marginal within its guard band") {
    CHECK(grade(at_least(30), {40}) == Grade::pass);
    CHECK(grade(at_least(30), {31.4}) == Grade::marginal); // within 5 %
    CHECK(grade(at_least(30), {31.6}) == Grade::pass);
    CHECK(grade(at_least(30), {28.6}) == Grade::marginal); // slightly below the limit is as uncertain as slightly above
    CHECK(grade(at_least(30), {28.4}) == Grade::fail);
    CHECK(grade(at_most(30), {28}) == Grade::pass);
    CHECK(grade(at_most(30), {29}) == Grade::marginal);
    CHECK(grade(at_most(30), {40}) == Grade::fail);
}

TEST_CASE("a single pass without a guard band is compared with the limit itself") {
    CHECK(grade(at_least(30, 0), {30}) == Grade::pass);
    CHECK(grade(at_least(30, 0), {29.999}) == Grade::fail);
    CHECK(grade(at_most(30, 0), {30}) == Grade::pass);
    CHECK(grade(at_most(30, 0), {30.001}) == Grade::fail);
}

TEST_CASE("a limit within the scatter of the passes is marginal, and a single pass has no scatter") {
    // Mean 40, half width t(0.975, 1) * s / sqrt(2) = 12.706 * 1 = 12.7 > 40 - 30.
    const Verdict wide = judge({at_least(30)}, {values({39, 41})}, {}, {});
    CHECK(wide.grade == Grade::marginal);
    REQUIRE(wide.limits.size() == 1);
    CHECK(wide.limits[0].figure.value() == Approx(40));
    CHECK(wide.limits[0].uncertainty.value() == Approx(12.706).epsilon(0.001));
    CHECK(wide.limits[0].reason ==
          "seq_write.1024KB.mb_per_s of quickbench under exfat: 40 ± 12.7 over 2 passes; minimum 30 is nearer than the "
          "uncertainty of 12.7");

    const Verdict single = judge({at_least(30)}, {values({40})}, {}, {});
    CHECK(single.grade == Grade::pass);
    CHECK_FALSE(single.limits[0].uncertainty);
    CHECK(single.limits[0].reason == "seq_write.1024KB.mb_per_s of quickbench under exfat: 40 over 1 pass; minimum 30");

    CHECK(grade(at_least(30), {39.9, 40.1}) == Grade::pass);
}

TEST_CASE("passes far beyond a limit decide it for any number and scatter of passes") {
    // Two passes at 90 and 120 have an interval of ±190.
    CHECK(grade(at_least(30), {90, 120}) == Grade::pass);
    CHECK(grade(at_least(30), {45, 60}) == Grade::pass);     // 1.5 times and more
    CHECK(grade(at_least(30), {44, 60}) == Grade::marginal); // one pass is nearer to the limit
    CHECK(grade(at_least(30), {10, 20}) == Grade::fail);
    CHECK(grade(at_least(30), {10, 21}) == Grade::marginal);
    CHECK(grade(at_most(30), {10, 20}) == Grade::pass);
    CHECK(grade(at_most(30), {45, 60}) == Grade::fail);
    CHECK(grade(at_least(0), {1, 3}) == Grade::marginal); // nothing is 1.5 times zero
}

TEST_CASE("a removed medium is inconclusive unless a limit is missed or another fault was found") {
    const std::vector<MetricValues> good{values({40})};
    const Finding lost = fault(FindingKind::medium_lost, "x");
    CHECK(judge({}, good, {lost}, {}).grade == Grade::inconclusive);
    CHECK(judge({}, good, {lost}, {}, {.depth = TestDepth::verified}).grade == Grade::inconclusive);
    CHECK(judge({at_least(30)}, {values({20})}, {lost}, {}).grade == Grade::fail);
    CHECK(judge({}, good, {lost, fault(FindingKind::data_damaged, "x")}, {}).grade == Grade::fail);
}

TEST_CASE("a limit of a maximum latency is compared with the maximum of all passes, not with their mean") {
    MetricValues longest = values({100, 100, 100, 100, 100, 100, 100, 100, 100, 900});
    longest.extreme = true;
    const Verdict verdict = judge({at_most(500)}, {longest}, {}, {});
    CHECK(verdict.grade == Grade::fail);
    CHECK(verdict.limits[0].figure.value() == 900);
    CHECK_FALSE(verdict.limits[0].uncertainty);
    CHECK(verdict.limits[0].reason ==
          "seq_write.1024KB.mb_per_s of quickbench under exfat: 900 over 10 passes; maximum 500 is not met");
    longest.values.back() = 400;
    CHECK(judge({at_most(500)}, {longest}, {}, {}).grade == Grade::pass);
}

TEST_CASE("a limit with two bounds is judged by the worse bound") {
    Limit range = at_least(10);
    range.max = 20;
    CHECK(grade(range, {15}) == Grade::pass);
    CHECK(grade(range, {19.5}) == Grade::marginal);
    CHECK(grade(range, {10.1}) == Grade::marginal);
    CHECK(grade(range, {25}) == Grade::fail);
    CHECK(judge({range}, {values({25})}, {}, {}).limits[0].reason ==
          "seq_write.1024KB.mb_per_s of quickbench under exfat: 25 over 1 pass; minimum 10, maximum 20 is not met");
}

TEST_CASE("a limit applies separately to every format that it covers") {
    const std::vector<MetricValues> both{values({40}, "exfat"), values({20}, "apfs")};
    const Verdict every = judge({at_least(30)}, both, {}, {});
    CHECK(every.grade == Grade::fail);
    REQUIRE(every.limits.size() == 2);
    CHECK(every.limits[0].grade == Grade::pass);
    CHECK(every.limits[1].grade == Grade::fail);

    Limit one = at_least(30);
    one.format = "exfat";
    CHECK(judge({one}, both, {}, {}).grade == Grade::pass);
    Limit other_suite = at_least(30);
    other_suite.suite = "disktester";
    CHECK(judge({other_suite}, both, {}, {}).grade == Grade::inconclusive);
    Limit any_suite = at_least(10);
    any_suite.suite = "";
    CHECK(judge({any_suite}, both, {}, {}).limits.size() == 2);
}

TEST_CASE("the passes of one metric are judged together if they arrive in parts") {
    const Verdict pieces = judge({at_least(30)}, {values({39}), values({41})}, {}, {});
    REQUIRE(pieces.limits.size() == 1);
    CHECK(pieces.limits[0].values == std::vector<double>{39, 41});
}

TEST_CASE("without a fault, the deepest test determines the grade") {
    struct Row {
        TestDepth depth;
        Grade grade;
        std::string_view word;
        int status;
    };
    const Row rows[] = {{TestDepth::nothing, Grade::inconclusive, "INCONCLUSIVE", 3},
                        {TestDepth::formatted, Grade::formatted, "FORMATTED", 0},
                        {TestDepth::measured, Grade::measured, "MEASURED", 0},
                        {TestDepth::sampled, Grade::sampled, "SAMPLED", 3},
                        {TestDepth::probed, Grade::probed, "PROBED", 3},
                        {TestDepth::verified, Grade::pass, "PASS", 0}};
    for (const Row& row : rows) {
        CAPTURE(row.word);
        const Verdict verdict = judge({}, {}, {}, {}, {.depth = row.depth, .text = "the extent of the test"});
        CHECK(verdict.grade == row.grade);
        CHECK(name_of(verdict.grade) == row.word);
        CHECK(exit_status(verdict.grade) == row.status);
        CHECK(is_not_proven(verdict.grade) == (row.depth != TestDepth::nothing && row.depth != TestDepth::verified));
        CHECK(verdict.reasons.front() ==
              (row.depth == TestDepth::nothing ? "nothing was measured" : "the extent of the test"));
        // A part that could not be tested, or a fault, takes precedence over any depth.
        CHECK(judge({}, {}, {}, {{"m0.r1.exfat.format", "no tool"}}, {.depth = row.depth}).grade ==
              Grade::inconclusive);
        CHECK(judge({}, {}, {fault(FindingKind::io_error, "x")}, {}, {.depth = row.depth}).grade == Grade::fail);
    }
    CHECK(judge({}, {values({40})}, {}, {}).grade == Grade::measured);
    CHECK(judge({}, {values({40})}, {}, {}, {.depth = TestDepth::probed}).grade == Grade::probed);
}

TEST_CASE("if all limits are met, the grade is PASS for any test, and the reason states this") {
    for (const TestDepth depth : {TestDepth::measured, TestDepth::sampled, TestDepth::probed, TestDepth::verified}) {
        const Verdict verdict = judge({at_least(30)}, {values({40})}, {}, {}, {.depth = depth, .text = "x"});
        CHECK(verdict.grade == Grade::pass);
        CHECK(verdict.reasons == std::vector<std::string>{"all limits met, no fault found"});
    }
}

TEST_CASE("the first observation of the decision table decides") {
    // All observations at once; each step removes the one that decided.
    GradeObservations seen{.capacity_missing = true,
                           .fault = true,
                           .lost = true,
                           .unclear = true,
                           .untested = true,
                           .limits_set = true,
                           .limits = Grade::fail,
                           .depth = TestDepth::verified};
    CHECK(decide(seen) == Grade::fake);
    seen.capacity_missing = false;
    CHECK(decide(seen) == Grade::fail);
    seen.fault = false;
    CHECK(decide(seen) == Grade::fail); // the limit
    seen.limits = Grade::marginal;
    for (bool GradeObservations::*each :
         {&GradeObservations::lost, &GradeObservations::unclear, &GradeObservations::untested}) {
        CHECK(decide(seen) == Grade::inconclusive);
        seen.*each = false;
    }
    CHECK(decide(seen) == Grade::marginal);
    seen.limits = Grade::inconclusive;
    CHECK(decide(seen) == Grade::inconclusive);
    seen.limits = Grade::pass;
    CHECK(decide(seen) == Grade::pass);
    seen.limits_set = false;
    CHECK(decide(seen) == Grade::pass);
    seen.depth = TestDepth::probed;
    CHECK(decide(seen) == Grade::probed);
}

TEST_CASE("refused writes and damaged data are faults, never missing capacity") {
    for (const FindingKind kind :
         {FindingKind::write_refused, FindingKind::data_damaged, FindingKind::io_error, FindingKind::flush_unavailable})
        CHECK(judge({}, {}, {fault(kind, "x")}, {}, {.depth = TestDepth::verified}).grade == Grade::fail);
}

TEST_CASE("a reason shows enough digits for a difference from the bound that six digits would hide") {
    CHECK(judge({at_least(30, 0)}, {values({29.9999999})}, {}, {}).limits.at(0).reason ==
          "seq_write.1024KB.mb_per_s of quickbench under exfat: 29.9999999 over 1 pass; minimum 30 is not met");
}

TEST_CASE("a limit without a measurement is inconclusive, and the verdict contains the reason") {
    const Verdict nothing = judge({}, {}, {}, {});
    CHECK(nothing.grade == Grade::inconclusive);
    CHECK(nothing.reasons == std::vector<std::string>{"nothing was measured"});

    const Verdict missing = judge({at_least(30)}, {}, {}, {}, {.depth = TestDepth::formatted});
    CHECK(missing.grade == Grade::inconclusive);
    CHECK(missing.reasons == std::vector<std::string>{"seq_write.1024KB.mb_per_s of quickbench: was not measured"});

    // The suite ran under APFS without giving this metric.
    MetricValues other = values({1}, "apfs");
    other.metric = "seq_read.4KB.mb_per_s";
    const Verdict half = judge({at_least(30)}, {values({40}), other}, {}, {});
    CHECK(half.grade == Grade::inconclusive);
    CHECK(half.reasons ==
          std::vector<std::string>{"seq_write.1024KB.mb_per_s of quickbench under apfs: was not measured"});
    MetricValues no_values = values({});
    CHECK(judge({at_least(30)}, {no_values}, {}, {}).grade == Grade::inconclusive);
}

TEST_CASE("a device with an untested part does not get PASS") {
    const Verdict verdict = judge({at_least(30)}, {values({40})}, {}, {{"apfs", "no driver for APFS on this machine"}});
    CHECK(verdict.grade == Grade::inconclusive);
    CHECK(verdict.reasons == std::vector<std::string>{"not tested: apfs: no driver for APFS on this machine"});
    CHECK(judge({}, {values({40})}, {}, {{"x", "y"}}).grade == Grade::inconclusive);
    CHECK(judge({at_least(30)}, {values({31})}, {}, {{"x", "y"}}).grade == Grade::inconclusive);
    CHECK(judge({at_least(30)}, {values({20})}, {}, {{"x", "y"}}).grade == Grade::fail);
}

TEST_CASE("faults give FAIL, missing capacity gives FAKE, and notes and warnings do not change the grade") {
    const std::vector<MetricValues> good{values({40})};
    CHECK(judge({}, good, {fault(FindingKind::io_error, "x")}, {}).grade == Grade::fail);
    CHECK(judge({}, good, {fault(FindingKind::data_damaged, "x")}, {}).grade == Grade::fail);
    CHECK(judge({}, good, {fault(FindingKind::capacity_missing, "x")}, {}).grade == Grade::fake);
    Finding warning = fault(FindingKind::cache_suspected, "x");
    warning.severity = Severity::warning;
    const Verdict warned = judge({}, good, {warning}, {});
    CHECK(warned.grade == Grade::measured);
    CHECK(warned.reasons ==
          std::vector<std::string>{"measured, no fault found; no limit set, and the capacity was not tested"});
}

TEST_CASE("the verdict has the worst grade, and the reasons for that grade come first") {
    const Verdict verdict =
        judge({at_least(100), at_least(39), at_least(1)}, {values({40})},
              {fault(FindingKind::io_error, "read error at 4096"), fault(FindingKind::capacity_missing, "holds 8 GB")},
              {{"apfs", "no driver"}});
    CHECK(verdict.grade == Grade::fake);
    REQUIRE(verdict.reasons.size() == 5);
    CHECK(verdict.reasons[0] == "capacity_missing: holds 8 GB");
    CHECK(verdict.reasons[1] == "io_error: read error at 4096");
    CHECK_THAT(verdict.reasons[2], ContainsSubstring("minimum 100 is not met"));
    CHECK(verdict.reasons[3] == "not tested: apfs: no driver");
    CHECK_THAT(verdict.reasons[4], ContainsSubstring("minimum 39 is nearer than the guard"));
}

TEST_CASE("grades have stable names, and unknown names are refused") {
    for (const Grade g : {Grade::pass, Grade::marginal, Grade::fail, Grade::fake, Grade::formatted, Grade::measured,
                          Grade::sampled, Grade::probed, Grade::inconclusive})
        CHECK(grade_from(name_of(g)).value() == g);
    CHECK(name_of(Grade::fake) == "FAKE");
    CHECK(reason(grade_from("pass")) ==
          "\"pass\" is not one of PASS, MARGINAL, FAIL, FAKE, FORMATTED, MEASURED, "
          "SAMPLED, PROBED, INCONCLUSIVE");
}

TEST_CASE("an unclear capacity prevents PASS, and a fault takes precedence over an unclear capacity") {
    const Finding unclear{.kind = FindingKind::capacity_unclear, .severity = Severity::warning, .detail = "seen twice"};
    CHECK(judge({}, {}, {unclear}, {}).grade == Grade::inconclusive);
    CHECK(judge({}, {}, {unclear}, {}).reasons.at(0) == "capacity_unclear: seen twice");
    const Finding damaged{.kind = FindingKind::data_damaged, .severity = Severity::fault, .detail = "bytes"};
    CHECK(judge({}, {}, {unclear, damaged}, {}).grade == Grade::fail);
}

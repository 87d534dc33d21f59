// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/text/metric_text.hpp"

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::report;

namespace {

std::string text_for_passes(const std::vector<double>& passes, int decimals = 3) {
    return text_of(figure_text(passes, decimals));
}

std::string words_for(const std::string& metric, std::vector<double> values, measure::Limit limit,
                      const std::string& format = "exfat") {
    limit.metric = metric;
    const measure::Verdict verdict = measure::judge(
        {limit}, {{.suite = "quickbench", .metric = metric, .format = format, .values = values}}, {}, {});
    return limit_text(verdict.limits.front());
}

measure::Limit at_least(double min) {
    return {.suite = "", .metric = "", .format = "", .min = min, .max = {}};
}
measure::Limit at_most(double max) {
    return {.suite = "", .metric = "", .format = "", .min = {}, .max = max};
}

} // namespace

TEST_CASE("one pass is printed as its value, two or three as a range, four as a mean with interval") {
    CHECK(text_for_passes({}) == "–");
    CHECK(text_for_passes({48.298}) == "48.298");
    CHECK(text_for_passes({4.6, 4.4}) == "4.40 to 4.60");
    CHECK(text_for_passes({4.6, 4.4, 4.5}) == "4.40 to 4.60");
    CHECK(text_for_passes({89.01, 89.04}) == "89.0"); // equal in the printed digits
    // s = 0.3916, t(0.975, 3) = 3.182: half the interval is 0.623.
    CHECK(text_for_passes({30.6, 31.0, 31.2, 31.5}) == "31.1 ±0.6");
}

TEST_CASE("the interval has one digit, or two if the first is 1, and the mean has the same precision") {
    CHECK(text_for_passes({2200, 2240, 2180, 2220}) == "2210 ±40");
    CHECK(text_for_passes({30.0, 30.1, 30.2, 30.1}) == "30.10 ±0.13");
    CHECK(text_for_passes({0.0102, 0.0105, 0.0100, 0.0103}) == "0.0103 ±0.0003");
    CHECK(text_for_passes({5, 5, 5, 5}) == "5.00 ±0");
    CHECK(text_for_passes({0, 0, 0, 0}) == "0 ±0");
}

TEST_CASE("figures are printed with three digits at any magnitude") {
    CHECK(three_digits(0.01234) == "0.0123");
    CHECK(three_digits(4.4) == "4.40");
    CHECK(three_digits(92.06) == "92.1");
    CHECK(three_digits(2210.4) == "2210");
    CHECK(three_digits(0) == "0");
}

TEST_CASE("a limit is printed with its operation, measured value and bound") {
    CHECK(words_for("seq_write.1024KB.mb_per_s", {4.42}, at_least(6)) ==
          "writes 4.42 MB/s in blocks of 1024 KB under exFAT, at least 6 wanted");
    CHECK(words_for("random_read.4KB.iops", {1200, 1300}, at_least(1500), "apfs") ==
          "reads at random 1200 to 1300 ops/s in blocks of 4 KB under APFS, at least 1500 wanted");
    CHECK(words_for("iops.random_read.p99_us", {21300}, at_most(20000)) ==
          "p99 of random read under exFAT is 21.3 ms, at most 20.0 ms wanted");
    CHECK(words_for("standard.seq_read.average_mb_per_s", {50}, at_least(40), "") ==
          "reads 50.0 MB/s (Average), at least 40 wanted");
    CHECK(words_for("iops.random_write.seconds", {163.1}, at_most(100)) ==
          "random write takes 163 s under exFAT, at most 100 wanted");
    measure::Limit range = at_least(10);
    range.max = 20;
    CHECK(words_for("verify.write.mb_per_s", {25}, range, "raw") ==
          "writes 25.0 MB/s on the bare device, at least 10 and at most 20 wanted");
    CHECK(words_for("of another time", {25}, at_least(30), "") == "of another time is 25.0, at least 30 wanted");
    const measure::Verdict missing = measure::judge(
        {measure::Limit{.suite = "quickbench", .metric = "seq_write.64KB.mb_per_s", .format = "", .min = 1, .max = {}}},
        {}, {}, {});
    CHECK(limit_text(missing.limits.front()) == "sequential write in blocks of 64 KB was not measured");
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/rate_course.hpp"

#include <vector>

#include "host/measure/histogram.hpp"
#include "host/measure/statistics.hpp"
#include "tests/catch.hpp"

using namespace mediarig::measure;

TEST_CASE("steady state: requires the last five rounds within 20 % and their fitted line within 10 % of the mean") {
    struct Row {
        const char* why;
        std::vector<double> rounds;
        bool steady;
    };
    const Row rows[] = {
        {"constant after a fall", {900, 500, 100, 100, 100, 100, 100}, true},
        {"19 % apart, no trend", {100, 110, 91, 105, 100}, true},
        {"21 % apart", {100, 111, 90, 105, 100}, false},
        {"16 % apart, but falling all the time", {108, 104, 100, 96, 92}, false},
        {"rising by 8 % in all", {96, 98, 100, 102, 104}, true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.why);
        const auto found = steadiness(row.rounds, 5);
        REQUIRE(found);
        CHECK(found->steady() == row.steady);
    }
    const auto falling = steadiness(rows[3].rounds, 5);
    CHECK(falling->mean == Approx(100));
    CHECK(falling->excursion == Approx(0.16));
    CHECK(falling->slope == Approx(0.16));
}

TEST_CASE("steady state: too few or empty rounds give no result") {
    CHECK_FALSE(steadiness(std::vector<double>{1, 1, 1, 1}, 5));
    CHECK_FALSE(steadiness(std::vector<double>{0, 0, 0, 0, 0}, 5));
}

TEST_CASE("Theil-Sen: the line is correct although a quarter of the points are arbitrary") {
    std::vector<Point> points;
    for (int i = 0; i < 12; ++i) points.push_back({static_cast<double>(i), 3 + 2.0 * i});
    points[2].y = 500;
    points[7].y = -80;
    points[11].y = 1000;
    const auto line = theil_sen(points);
    REQUIRE(line);
    CHECK(line->slope == Approx(2).margin(0.2));
    CHECK(line->intercept == Approx(3).margin(1));
    CHECK_FALSE(theil_sen(std::vector<Point>{{1, 2}, {1, 5}}));
    CHECK_FALSE(theil_sen({}));
}

TEST_CASE("the standard deviation of a histogram agrees with its values within a bucket width") {
    HistogramRecorder recorder;
    CHECK_FALSE(recorder.histogram().deviation());
    for (const std::uint64_t ns : {1000u, 1000u, 3000u, 3000u}) recorder.record(ns);
    CHECK(static_cast<double>(recorder.histogram().deviation()->count()) == Approx(1000).epsilon(0.02));
}

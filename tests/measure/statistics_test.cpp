// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/statistics.hpp"

#include <vector>

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::measure;

namespace {
using Values = std::vector<double>;
}

TEST_CASE("an undefined statistic is empty, not zero") {
    CHECK_FALSE(mean(Values{}));
    CHECK_FALSE(median(Values{}));
    CHECK_FALSE(spread(Values{}));
    CHECK_FALSE(harmonic_mean(Values{}));
    CHECK_FALSE(geometric_mean(Values{}));
    CHECK_FALSE(stddev(Values{7}));
    CHECK_FALSE(half_width_95(Values{7}));
    CHECK_FALSE(harmonic_mean(Values{1, 0}));
    CHECK_FALSE(geometric_mean(Values{1, -1}));
    CHECK_FALSE(column_score(Values{}));
    CHECK_FALSE(iops_score(8_KiB, 1, std::chrono::nanoseconds(0)));
}

TEST_CASE("means, median and spread of known values are correct") {
    const Values values{2, 8, 4};
    CHECK(mean(values).value() == Approx(14.0 / 3));
    CHECK(median(values).value() == Approx(4));
    CHECK(median(Values{1, 2, 3, 10}).value() == Approx(2.5));
    CHECK(geometric_mean(values).value() == Approx(4));
    CHECK(harmonic_mean(values).value() == Approx(3 / (0.5 + 0.125 + 0.25)));
    CHECK(spread(values) == Spread{2, 8});
    // The variance is divided by n - 1: ((8/3)^2 + (10/3)^2 + (2/3)^2) / 2
    CHECK(stddev(values).value() == Approx(3.0550504633));
}

TEST_CASE("the 95 % interval uses the published factors of Student's t") {
    struct Row {
        std::size_t n;
        double t;
    };
    // t(0.975) for 1, 2, 4, 9 and 29 degrees of freedom.
    const Row rows[] = {{2, 12.706}, {3, 4.303}, {5, 2.776}, {10, 2.262}, {30, 2.045}};
    for (const Row& row : rows) {
        CAPTURE(row.n);
        Values values;
        for (std::size_t i = 0; i < row.n; ++i) values.push_back(100 + static_cast<double>(i % 2 == 0 ? i : 2 * i));
        const double standard_error = stddev(values).value() / std::sqrt(static_cast<double>(row.n));
        CHECK(half_width_95(values).value() / standard_error == Approx(row.t).epsilon(0.0005));
    }
    CHECK(half_width_95(Values{5, 5, 5}).value() == Approx(0).margin(1e-12));
}

TEST_CASE("the time-weighted score of a column is the rate of equal volumes transferred in sequence") {
    const auto score = column_score(Values{10, 40});
    REQUIRE(score);
    CHECK(score->average == Approx(25));
    // 100 MB at 10 and 100 MB at 40 take 12.5 s: 200 / 12.5.
    CHECK(score->time_weighted == Approx(16));
}

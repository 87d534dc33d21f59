// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/measure/comparison/calibration.hpp"

#include <cmath>

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::measure::comparison;

TEST_CASE("a small simulation reproduces the table of levels within the accuracy of the simulation") {
    const auto rows = comparison_calibration::calibrated(20'000, 20, 7);
    REQUIRE(rows.size() == 7);
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.off.size(); ++i) {
            CAPTURE(row.budget, overall_levels[i], row.nominal[i]);
            CHECK(std::abs(row.off[i]) < 4.2);
        }
}

TEST_CASE("a budget of four blocks has one look, at the overall level") {
    for (const double level : {0.3, 0.05, 0.007, 0.0001}) {
        CHECK(nominal_level(4, level) == Approx(level));
        CHECK(overall_p(4, level) == Approx(level));
    }
}

TEST_CASE("the level of a look and the overall p are inverse functions, and levels decrease with the budget") {
    for (std::size_t budget = fewest_blocks; budget <= most_blocks; ++budget) {
        CAPTURE(budget);
        double before = 0;
        for (const double overall : {1e-6, 0.0005, 0.003, 0.05, 0.11, 0.5, 1.0}) {
            const double nominal = nominal_level(budget, overall);
            CHECK(overall_p(budget, nominal) == Approx(overall));
            CHECK(nominal > before);
            CHECK(nominal <= overall * (1 + 1e-12));
            // Overall levels below those of the table are extrapolated, with the random error of the table, so they are
            // not compared here.
            if (budget > fewest_blocks && overall >= 0.0005)
                CHECK(nominal <= nominal_level(budget - 1, overall) * (1 + 1e-12));
            before = nominal;
        }
    }
    CHECK(overall_p(12, 0) == 0);
    CHECK(overall_p(12, 1) == 1);
}

TEST_CASE("a budget between two rows of the table of levels uses the row of the next larger budget") {
    CHECK(nominal_level(5, 0.05) == nominal_level(6, 0.05));
    CHECK(nominal_level(13, 0.05) == nominal_level(16, 0.05));
    CHECK(nominal_level(16, 0.05) < nominal_level(12, 0.05));
}

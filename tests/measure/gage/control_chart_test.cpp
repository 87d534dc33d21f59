// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "host/measure/gage/control_chart.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::measure;

namespace {

using Signals = std::vector<ControlSignal>;

/// Centre 0, sigma 1: the limits of the values are 3, those of the ranges are beyond the tested values.
constexpr ControlLimits unit{.centre = 0, .lower = -3, .upper = 3, .mean_range = 1.128, .upper_range = 100};

} // namespace

TEST_CASE("control limits are 2.66 mean moving ranges from the mean, and 3.267 mean ranges for ranges") {
    const auto limits = control_limits({10, 12, 11, 13, 12, 10, 11, 9, 11, 11});
    REQUIRE(reason(limits) == "success");
    // The moving ranges are 2 1 2 1 2 1 2 2 0; their mean is 13/9.
    CHECK(limits->centre == Approx(11.0));
    CHECK(limits->mean_range == Approx(13.0 / 9));
    CHECK(limits->lower == Approx(11 - 2.66 * 13 / 9));
    CHECK(limits->upper == Approx(11 + 2.66 * 13 / 9));
    CHECK(limits->upper_range == Approx(3.267 * 13 / 9));
    CHECK(control_signals({10, 12, 11, 13, 12, 10, 11, 9, 11, 11}, *limits).empty());
}

TEST_CASE("each control-chart rule signals on the value that completes its pattern") {
    CHECK(control_signals({0, 3.1, 0, -3.1}, unit) ==
          Signals{{1, ControlRule::beyond_limits}, {3, ControlRule::beyond_limits}});
    CHECK(control_signals({3, -3}, unit).empty());
    CHECK(control_signals({2.1, 0, 2.1}, unit) == Signals{{2, ControlRule::two_of_three}});
    CHECK(control_signals({2.1, 0, -2.1}, unit).empty());
    CHECK(control_signals({2.1, 0, 0, 2.1}, unit).empty());
    CHECK(control_signals({-1.1, -1.1, 0, -1.1, -1.1}, unit) == Signals{{4, ControlRule::four_of_five}});
    CHECK(control_signals({0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, unit).empty());
    CHECK(control_signals({0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, unit) == Signals{{7, ControlRule::eight_in_a_row}});
    CHECK(control_signals({0.1, 0.1, 0.1, -0.1, 0.1, 0.1, 0.1, 0.1}, unit).empty());
    ControlLimits tight = unit;
    tight.upper_range = 1;
    CHECK(control_signals({0, 1, -0.1}, tight) == Signals{{2, ControlRule::moving_range}});
    CHECK(control_signals({0, 1}, tight).empty()); // at the limit, not above it
}

TEST_CASE("too few, non-numeric or constant values have no control limits") {
    CHECK_THAT(reason(control_limits({1, 2, 3})), ContainsSubstring("need at least 8 values, and there are 3"));
    CHECK_THAT(reason(control_limits({1, 2, 3, 4, 5, 6, 7, std::nan("")})), ContainsSubstring("is not a number"));
    CHECK_THAT(reason(control_limits(std::vector<double>(9, 4.0))), ContainsSubstring("are equal"));
}

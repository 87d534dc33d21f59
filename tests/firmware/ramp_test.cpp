// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/core/ramp.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/catch.hpp"

using namespace mediarig::firmware;

namespace {

std::vector<std::uint32_t> intervals_of(RampLimits limits, std::uint32_t steps) {
    std::vector<std::uint32_t> intervals;
    for (Ramp ramp(limits, steps); ramp.left() != 0;) intervals.push_back(ramp.next());
    return intervals;
}

/// Computes the curve of the ramp in floating point, without a carried remainder. Level k is k divisions from rest.
struct Reference {
    Reference(double speed, double acceleration, std::size_t levels) : fastest(std::ceil(1e6 / speed)) {
        double c = 0.676e6 * std::sqrt(2.0 / acceleration);
        curve.push_back(c);
        for (std::size_t n = 1; n <= levels; ++n) {
            c -= 2 * c / (4.0 * static_cast<double>(n) + 1);
            if (c < fastest) break;
            curve.push_back(c);
        }
    }
    /// Interval `i` of a move of `steps`.
    [[nodiscard]] double interval(std::size_t i, std::size_t steps) const {
        if (i + 1 == steps) return std::max(curve[0], fastest); // pause after the last step
        const std::size_t up = i, down = steps - 2 - i;
        const std::size_t level = std::min(up, down);
        if (level >= curve.size()) return fastest;
        return std::max(curve[level], fastest);
    }
    double fastest;
    std::vector<double> curve;
};

constexpr std::uint32_t nth(Ramp ramp, std::uint32_t n) {
    std::uint32_t interval = 0;
    for (std::uint32_t i = 0; i <= n; ++i) interval = ramp.next();
    return interval;
}

} // namespace

static_assert(square_root(0) == 0 && square_root(1) == 1 && square_root(15) == 3 && square_root(16) == 4);
static_assert(square_root(~std::uint64_t{0}) == 0xFFFFFFFF);
// 0.676 sqrt(2 / 40000) s = 4780.04 us
static_assert(ramp_limits(6000, 40000).first == 4780 * 256 + 10);
static_assert(ramp_limits(6000, 40000).fastest == 167 * 256);
static_assert(Ramp({}, 0).left() == 0);
static_assert(nth(Ramp(ramp_limits(6000, 40000), 100), 0) == 4780);
static_assert(nth(Ramp(ramp_limits(6000, 40000), 100), 1) == 2868); // 3/5 of the first interval
static_assert(nth(Ramp(ramp_limits(6000, 40000), 100), 2) == 2231); // 7/9 of the second interval

TEST_CASE("ramp: every short move makes exactly the requested number of steps") {
    for (std::uint32_t steps = 0; steps <= 600; ++steps)
        REQUIRE(intervals_of(ramp_limits(6000, 40000), steps).size() == steps);
}

TEST_CASE("ramp: thousands of moves make exactly the requested steps, at intervals within 2 us of the curve") {
    double worst = 0;
    std::size_t moves = 0, steps_made = 0;
    for (const std::uint32_t speed : {50U, 133U, 400U, 1600U, 3000U, 6000U, 14999U, 20000U, 50000U}) {
        for (const std::uint32_t acceleration : {500U, 1234U, 20000U, 40000U, 100000U, 1000000U, 10000000U}) {
            const RampLimits limits = ramp_limits(speed, acceleration);
            const Reference reference(speed, acceleration, 6000);
            for (std::uint32_t steps = 0; steps < 4000; steps = steps < 40 ? steps + 1 : steps + steps / 3 + 7) {
                CAPTURE(speed, acceleration, steps);
                const auto intervals = intervals_of(limits, steps);
                REQUIRE(intervals.size() == steps);
                for (std::size_t i = 0; i < steps; ++i)
                    worst = std::max(worst, std::abs(intervals[i] - reference.interval(i, steps)));
                ++moves;
                steps_made += steps;
            }
        }
    }
    INFO(moves << " moves, " << steps_made << " steps, worst interval " << worst << " us off");
    CHECK(moves > 3000);
    CHECK(worst <= 2.0);
}

TEST_CASE("ramp: speed and acceleration stay in their limits from the first step") {
    for (const std::uint32_t speed : {200U, 3000U, 6000U, 20000U}) {
        for (const std::uint32_t acceleration : {5000U, 40000U, 200000U}) {
            const auto intervals = intervals_of(ramp_limits(speed, acceleration), 3001);
            CAPTURE(speed, acceleration);
            for (const std::uint32_t interval : intervals) REQUIRE(interval * static_cast<double>(speed) >= 1e6 - 1e-6);
            // The time of a change of speed is measured between the centres of adjacent intervals. The first intervals
            // are omitted, because the curve is steeper there than a true parabola.
            for (std::size_t i = 3; i + 4 < intervals.size(); ++i) {
                const double before = intervals[i], after = intervals[i + 1];
                // Half a microsecond of rounding on both sides.
                const double slack = 1e6 / (std::min(before, after) - 0.5) - 1e6 / (std::min(before, after) + 0.5);
                const double change = std::abs(1e6 / after - 1e6 / before) - slack;
                REQUIRE(change / ((before + after) / 2e6) <= acceleration * 1.03);
            }
        }
    }
}

TEST_CASE("ramp: acceleration and deceleration are symmetric within rounding") {
    for (const std::uint32_t steps : {2U, 3U, 4U, 5U, 50U, 51U, 1000U, 1001U}) {
        auto intervals = intervals_of(ramp_limits(6000, 40000), steps);
        intervals.pop_back(); // pause after the last step
        CAPTURE(steps);
        for (std::size_t i = 0; i < intervals.size(); ++i)
            REQUIRE(std::abs(static_cast<double>(intervals[i]) - intervals[intervals.size() - 1 - i]) <= 1);
    }
}

TEST_CASE("ramp: a long move reaches full speed without a stall") {
    // Without the carried remainder the last part of the curve is never reached.
    const auto intervals = intervals_of(ramp_limits(20000, 20000), 30000);
    CHECK(*std::min_element(intervals.begin(), intervals.end()) == 50);
    // v^2 / 2a = 10000 steps
    const auto reached = std::find(intervals.begin(), intervals.end(), 50U) - intervals.begin();
    CHECK(reached > 9000);
    CHECK(reached <= 10010);
}

TEST_CASE("ramp: a stop decelerates from the next step on, in as many steps as the acceleration took") {
    for (const std::uint32_t made : {0U, 1U, 2U, 10U, 100U, 400U, 2000U}) {
        Ramp ramp(ramp_limits(6000, 40000), 5000);
        std::uint32_t interval = 0;
        for (std::uint32_t i = 0; i < made; ++i) interval = ramp.next();
        ramp.stop();
        CAPTURE(made, interval);
        const std::uint32_t stopping = ramp.left();
        CHECK(stopping <= std::min(made, 451U)); // v^2 / 2a = 450
        while (ramp.left() > 1) {
            const std::uint32_t slower = ramp.next();
            REQUIRE(slower + 1 >= interval);
            interval = slower;
        }
        if (made > 0) CHECK(interval >= 4779);
    }
}

TEST_CASE("ramp: a second stop has no effect") {
    Ramp ramp(ramp_limits(6000, 40000), 5000);
    for (int i = 0; i < 1000; ++i) ramp.next();
    ramp.stop();
    const std::uint32_t left = ramp.left();
    ramp.next();
    ramp.stop();
    CHECK(ramp.left() == left - 1);
}

TEST_CASE("ramp: a stop during deceleration has no effect") {
    Ramp ramp(ramp_limits(6000, 40000), 800);
    for (int i = 0; i < 700; ++i) ramp.next();
    ramp.stop();
    CHECK(ramp.left() == 100);
}

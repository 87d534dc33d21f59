// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/levels.hpp"

#include <algorithm>
#include <cmath>

namespace mediarig::measure::comparison {
namespace {

constexpr std::array table{
    LevelRow{4, {.2, .1, .05, .025, .0125, .01, .005, .0025, .001, .0005}},
    LevelRow{6, {.079606, .033074, .014260, .006337, .002916, .002256, .001073, .000484, .000184, .000087}},
    LevelRow{8, {.058447, .023529, .009926, .004348, .001959, .001527, .000681, .000315, .000118, .000057}},
    LevelRow{10, {.046917, .018576, .007716, .003285, .001430, .001117, .000493, .000229, .000076, .000042}},
    LevelRow{12, {.040970, .016093, .006576, .002800, .001217, .000925, .000401, .000174, .000058, .000026}},
    LevelRow{16, {.033428, .012954, .005185, .002176, .000930, .000704, .000311, .000136, .000047, .000022}},
    LevelRow{20, {.028862, .011065, .004424, .001828, .000777, .000595, .000256, .000118, .000041, .000017}},
    LevelRow{30, {.023254, .008706, .003442, .001409, .000595, .000449, .000191, .000081, .000031, .000013}},
    // Computed by this project: ./run calibrate 1000000 11.
    LevelRow{40, {.0203086, .0076861, .0030754, .0012599, .0005325, .0004068, .0001738, .0000750, .0000259, .0000110}},
    LevelRow{60, {.0171641, .0064973, .0025802, .0010661, .0004511, .0003410, .0001481, .0000643, .0000224, .0000094}},
};

constexpr std::array differences{
    DifferenceRow{.budget = 8, .factor = 1.5, .from_8 = .6},
    DifferenceRow{.budget = 10, .factor = 1.5, .from_8 = .32},
    DifferenceRow{.budget = 12, .factor = 1.5, .from_8 = .26},
    DifferenceRow{.budget = 16, .factor = 2, .from_8 = .16},
    DifferenceRow{.budget = 20, .factor = 3, .from_8 = .12},
    DifferenceRow{.budget = 30, .factor = 3, .from_8 = .08},
    DifferenceRow{.budget = most_blocks, .factor = 3, .from_8 = .056},
};
/// Limits after six and seven blocks, as parts of alpha. Two of 64 orders of six blocks give equal signs, which is .625
/// of 5 %; of seven blocks, two of 128. All looks after the sixth block share the rest of alpha.
constexpr double after_6 = .64, after_7 = .32;

const DifferenceRow& difference_row(std::size_t budget) {
    const auto* const row = std::find_if(differences.begin(), differences.end(),
                                         [&](const DifferenceRow& each) { return each.budget >= budget; });
    return row == differences.end() ? differences.back() : *row;
}

const LevelRow& row_for(std::size_t budget) {
    const auto row =
        std::find_if(table.begin(), table.end(), [&](const LevelRow& each) { return each.budget >= budget; });
    return row == table.end() ? table.back() : *row;
}

/// (1, 1) and the points of a row, as logarithms, descending.
struct Points {
    std::array<double, overall_levels.size() + 1> nominal{}, overall{};
};

Points points_for(std::size_t budget) {
    const LevelRow& row = row_for(budget);
    Points points;
    for (std::size_t i = 0; i < overall_levels.size(); ++i) {
        points.nominal[i + 1] = std::log(row.nominal[i]);
        points.overall[i + 1] = std::log(overall_levels[i]);
    }
    return points;
}

/// `y` at `at` on the line through the points, which are descending.
double along(std::span<const double> x, std::span<const double> y, double at) {
    std::size_t right = 1;
    while (right + 1 < x.size() && at < x[right]) ++right;
    const double part = (at - x[right - 1]) / (x[right] - x[right - 1]);
    return y[right - 1] + part * (y[right] - y[right - 1]);
}

} // namespace

std::span<const LevelRow> level_table() {
    return table;
}

double nominal_level(std::size_t budget, double overall) {
    const Points points = points_for(budget);
    return std::exp(along(points.overall, points.nominal, std::log(overall)));
}

double overall_p(std::size_t budget, double nominal) {
    if (nominal <= 0) return 0; // smaller than a double can represent
    const Points points = points_for(budget);
    return std::min(1.0, std::exp(along(points.nominal, points.overall, std::log(nominal))));
}

double difference_level(std::size_t budget, double overall) {
    return std::min(overall, difference_row(budget).factor * nominal_level(budget, overall));
}

double difference_p(std::size_t budget, double nominal) {
    // If the level is capped at the overall level, the overall p equals the nominal p.
    return std::max(nominal, overall_p(budget, nominal / difference_row(budget).factor));
}

double randomisation_limit(std::size_t budget, std::size_t blocks, double alpha) {
    return alpha * (blocks <= 6 ? after_6 : blocks == 7 ? after_7 : difference_row(budget).from_8);
}

std::size_t fewest_for_difference_at(std::size_t budget, double alpha) {
    std::size_t blocks = fewest_blocks;
    while (std::pow(0.5, static_cast<double>(blocks) - 1) > randomisation_limit(budget, blocks, alpha)) ++blocks;
    return blocks;
}

} // namespace mediarig::measure::comparison

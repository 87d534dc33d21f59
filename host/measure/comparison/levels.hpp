// SPDX-License-Identifier: GPL-3.0-or-later
/// The level of each single look that keeps the error rate of all looks together at the requested level. Pure. `./run
/// calibrate` computes the table again by simulation.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace mediarig::measure::comparison {

/// Minimum for a claim and number of the first look: fewer blocks give no information about the scatter between blocks.
inline constexpr std::size_t fewest_blocks = 4;
/// The largest budget of the table.
inline constexpr std::size_t most_blocks = 60;

/// The overall levels of the columns, in descending order.
inline constexpr std::array overall_levels{.20, .10, .05, .025, .0125, .01, .005, .0025, .001, .0005};

/// Nominal two-sided levels of looks after 4, 5, … `budget` blocks with both estimators.
struct LevelRow {
    std::size_t budget{};
    std::array<double, overall_levels.size()> nominal{};
};
[[nodiscard]] std::span<const LevelRow> level_table();

/// The level of each look for a budget of 4 … most_blocks (uses the next larger budget in the table) and an overall
/// level of 0 … 1. Interpolates linearly in logarithms between the columns and to (1, 1) above them; continues the last
/// slope below them.
[[nodiscard]] double nominal_level(std::size_t budget, double overall);
/// The inverse of nominal_level(): the overall p-value for the smallest p of all looks so far.
[[nodiscard]] double overall_p(std::size_t budget, double nominal);

} // namespace mediarig::measure::comparison

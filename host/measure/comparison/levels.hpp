// SPDX-License-Identifier: GPL-3.0-or-later
/// At which level each single look must be made so that all looks together are wrong no more often than asked for.
/// Pure. `./run calibrate` computes the table again by simulation.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace mediarig::measure::comparison {

/// No claim comes from fewer: they tell nothing of how far blocks scatter. The first look is made here.
inline constexpr std::size_t fewest_blocks = 4;
/// The largest budget of the table.
inline constexpr std::size_t most_blocks = 60;

/// The overall levels of the columns, from large to small.
inline constexpr std::array overall_levels{.20, .10, .05, .025, .0125, .01, .005, .0025, .001, .0005};

/// Nominal two-sided levels of looks after 4, 5, … `budget` blocks with both estimators.
struct LevelRow {
    std::size_t budget{};
    std::array<double, overall_levels.size()> nominal{};
};
[[nodiscard]] std::span<const LevelRow> level_table();

/// The level of each look, of a budget of 4 … most_blocks (the next larger one of the table is taken), for an overall
/// level of 0 … 1. Between the columns a straight line in logarithms; to (1, 1) above them, the last slope below.
[[nodiscard]] double nominal_level(std::size_t budget, double overall);
/// The inverse: what the smallest p of all looks so far is worth.
[[nodiscard]] double overall_p(std::size_t budget, double nominal);

} // namespace mediarig::measure::comparison

// SPDX-License-Identifier: GPL-3.0-or-later
/// The level of each single look that keeps the error rate of all looks together at the requested level. Pure. `./run
/// calibrate` computes the table again by simulation.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace mediarig::measure::comparison {

/// Minimum number of blocks for "same" and for the first look. Fewer blocks give no information about the scatter
/// between blocks.
inline constexpr std::size_t fewest_blocks = 4;
/// Minimum number of blocks for a difference at 5 %. The random orders of n blocks of two formats give a p of at least
/// 2^(1 - n). If each block has one fast pass, chance alone assigns the fast passes of four blocks to one format in one
/// of eight comparisons, and of six blocks in one of 32.
inline constexpr std::size_t fewest_for_difference = 6;
/// The largest budget of the table.
inline constexpr std::size_t most_blocks = 60;

/// The overall levels of the columns, in descending order.
inline constexpr std::array overall_levels{.20, .10, .05, .025, .0125, .01, .005, .0025, .001, .0005};

/// Nominal two-sided levels of looks after 4, 5, … `budget` blocks with both estimators.
struct LevelRow {
    std::size_t budget{};
    std::array<double, overall_levels.size()> nominal{};
};
/// Factor and limit of a difference for budgets up to `budget`.
struct DifferenceRow {
    std::size_t budget{};
    double factor{}; ///< of the nominal level
    double from_8{}; ///< limit of the p by random orders after at least 8 blocks, as a part of alpha
};
[[nodiscard]] std::span<const LevelRow> level_table();

/// The level of each look for a budget of 4 … most_blocks (uses the next larger budget in the table) and an overall
/// level of 0 … 1. Interpolates linearly in logarithms between the columns and to (1, 1) above them; continues the last
/// slope below them.
[[nodiscard]] double nominal_level(std::size_t budget, double overall);
/// The inverse of nominal_level(): the overall p-value for the smallest p of all looks so far.
[[nodiscard]] double overall_p(std::size_t budget, double nominal);

/// The level of each look for a difference. A difference also requires that the test by random orders permits it. The
/// level is a multiple of nominal_level(), since the first such look is later and the other test prevents most false
/// claims; it is at most `overall`. The factors and limits come from simulations (`./run simulate`): together they keep
/// the overall level on media with noise, drift, spikes, and two levels.
[[nodiscard]] double difference_level(std::size_t budget, double overall);
/// The inverse of difference_level(): the overall p-value of a difference with the smallest p of all looks so far.
[[nodiscard]] double difference_p(std::size_t budget, double nominal);
/// The largest p of the test by random orders that permits a difference after this number of blocks. A larger budget
/// has more looks, so its limits are lower. `budget`: most_blocks for a comparison without a budget.
[[nodiscard]] double randomisation_limit(std::size_t budget, std::size_t blocks, double alpha);
/// Smallest number of blocks whose orders can give a p within randomisation_limit().
[[nodiscard]] std::size_t fewest_for_difference_at(std::size_t budget, double alpha);

} // namespace mediarig::measure::comparison

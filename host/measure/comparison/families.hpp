// SPDX-License-Identifier: GPL-3.0-or-later
/// Multiple comparisons: adjusts the p-value of one comparison for the others. Pure.
#pragma once

#include <span>
#include <vector>

namespace mediarig::measure::comparison {

/// Returns the adjusted p-values in the given order. If claims are made at 5 % or less, the probability of any false
/// claim in the family is at most 5 %, for any dependence between the comparisons. Source: Holm, "A simple sequentially
/// rejective multiple test procedure", Scand. J. Statist. 6, 1979.
[[nodiscard]] std::vector<double> holm(std::span<const double> p);

/// Returns the adjusted p-values. If cells are coloured at 10 % or less, on average at most 10 % of the coloured cells
/// are due to chance. Use these values for maps with that label, not for claims about a cell. Source: Benjamini and
/// Hochberg, "Controlling the false discovery rate", J. Roy. Statist. Soc. B 57, 1995.
[[nodiscard]] std::vector<double> benjamini_hochberg(std::span<const double> p);

/// The marks of one cell of a sweep.
struct CellMark {
    double holm{}, benjamini_hochberg{}; ///< adjusted p
    bool claim{};                        ///< permits "faster" for this cell
    bool coloured{}; ///< coloured on a map whose label states that one coloured cell in ten may be chance
};
inline constexpr double coloured_by_chance = 0.10;
/// `overall_p`: of each cell of a sweep; `randomised_p`: of each cell alone, by random orders; `alpha`: the level of
/// claims. A coloured cell needs both p. The caller must also require randomised_p() for claims, which tests all cells
/// together.
[[nodiscard]] std::vector<CellMark> map_of(std::span<const double> overall_p, std::span<const double> randomised_p,
                                           double alpha);

} // namespace mediarig::measure::comparison

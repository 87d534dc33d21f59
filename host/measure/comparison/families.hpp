// SPDX-License-Identifier: GPL-3.0-or-later
/// Many comparisons at once: what one of them is worth among the others. Pure.
#pragma once

#include <span>
#include <vector>

namespace mediarig::measure::comparison {

/// Adjusted p of each, in the order given: with claims where it is at most 5 %, the chance of any false claim in the
/// family is at most 5 %, however the comparisons depend on each other.
/// Source: Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6, 1979.
[[nodiscard]] std::vector<double> holm(std::span<const double> p);

/// Adjusted p of each: of what is coloured where it is at most 10 %, at most 10 % on average is coloured by chance.
/// For maps that say so, and for no claim about a cell.
/// Source: Benjamini and Hochberg, "Controlling the false discovery rate", J. Roy. Statist. Soc. B 57, 1995.
[[nodiscard]] std::vector<double> benjamini_hochberg(std::span<const double> p);

/// One cell of a sweep.
struct CellMark {
    double holm{}, benjamini_hochberg{}; ///< adjusted p
    bool claim{};                        ///< "faster" may be said of this very cell
    bool coloured{};                     ///< on a map that says that one in ten may be chance
};
inline constexpr double coloured_by_chance = 0.10;
/// `overall_p` of each cell of a sweep, and the level of claims.
[[nodiscard]] std::vector<CellMark> map_of(std::span<const double> overall_p, double alpha);

} // namespace mediarig::measure::comparison

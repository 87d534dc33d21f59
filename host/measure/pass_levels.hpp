// SPDX-License-Identifier: GPL-3.0-or-later
/// Effects of order in several passes of one suite with one format. Pure.
#pragma once

#include <optional>
#include <span>

namespace mediarig::measure {

/// A change smaller than this is not reported: ln(1.10).
inline constexpr double least_level_change = 0.0953;

/// Compares the first of `levels` (logarithms of the passes' rates, in time order) with the median of the others.
/// Returns the distance if it exceeds ln(1.10) and twice the range of the others (largest minus smallest); otherwise,
/// and for fewer than three passes, returns nothing. Source of the effect: a first pass fills caches, allocates and
/// uses a rested medium; Georges, Buytaert and Eeckhout, "Statistically rigorous Java performance evaluation", OOPSLA
/// 2007, omit such runs.
[[nodiscard]] std::optional<double> first_pass_apart(std::span<const double> levels);

struct Drift {
    double change{}; ///< from the first to the last pass, along the Theil-Sen line; a logarithm
    double p{1};     ///< probability of such an order of the pairs by chance alone, in both directions
};
/// Returns the drift if the passes become steadily slower or faster: Kendall's S of the levels against their order has
/// an exact p of at most 0.02 (five passes in perfect order have 0.017), and the change is at least ln(1.10). Returns
/// nothing for fewer than five passes. Source: Mann, "Nonparametric tests against trend", Econometrica 13, 1945.
[[nodiscard]] std::optional<Drift> drift_of(std::span<const double> levels);

} // namespace mediarig::measure

// SPDX-License-Identifier: GPL-3.0-or-later
/// What several passes of one suite under one format say of their order. Pure.
#pragma once

#include <optional>
#include <span>

namespace mediarig::measure {

/// A change smaller than this is not told: ln(1.10).
inline constexpr double least_level_change = 0.0953;

/// How far the first of `levels` (logarithms of the passes' rates, in time order) lies from the median of the others:
/// where it is farther than ln(1.10) and than twice what the others scatter (largest less smallest). Nothing below
/// three passes. Source of the effect: a first pass fills caches, allocates and meets a rested medium; Georges,
/// Buytaert and Eeckhout, "Statistically rigorous Java performance evaluation", OOPSLA 2007, leave such runs out.
[[nodiscard]] std::optional<double> first_pass_apart(std::span<const double> levels);

struct Drift {
    double change{}; ///< from the first to the last pass, along the Theil-Sen line; a logarithm
    double p{1};     ///< how likely chance alone orders as many pairs so, both directions
};
/// Where the passes become steadily slower or faster: Kendall's S of levels against their order with an exact p of at
/// most 0.02 (five passes in perfect order have 0.017), and a change of at least ln(1.10). Nothing below five passes.
/// Source: Mann, "Nonparametric tests against trend", Econometrica 13, 1945.
[[nodiscard]] std::optional<Drift> drift_of(std::span<const double> levels);

} // namespace mediarig::measure

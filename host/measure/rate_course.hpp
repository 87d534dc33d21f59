// SPDX-License-Identifier: GPL-3.0-or-later
/// The course of a cell's rate over time. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <span>

#include "common/units.hpp"

namespace mediarig::measure {

/// A part of a rate series.
struct RateSample {
    std::chrono::nanoseconds length{};
    Bytes moved;
};

struct LevelChange {
    std::chrono::nanoseconds at{}; ///< since the start of the series
    Rate before, after;
};
/// Finds a permanent change of the rate of a series: both sides have at least 3 samples, their means and medians differ
/// by more than 25 %, and their means by more than 3 pooled standard deviations. Returns the split with the least
/// squared error; empty if no split qualifies, or if a straight line has smaller squares.
[[nodiscard]] std::optional<LevelChange> level_change(std::span<const RateSample> series);

struct SteadySlope {
    Rate first, last; ///< values of the fitted line at the first and the last sample
    /// Change of the rate as a fraction of the larger end; negative if it falls.
    [[nodiscard]] double change() const;
};
/// Finds a steady rise or fall of the rate of a series: at least 8 samples, a least-squares line that explains at least
/// half of the squares about the mean and has smaller squares than any change of level, and at least 10 % between its
/// ends. Otherwise empty.
[[nodiscard]] std::optional<SteadySlope> steady_slope(std::span<const RateSample> series);
/// Like steady_slope(), with less evidence: a line that explains at least a fifth of the squares, and 5 % between its
/// ends. Such a slope cannot establish an effect, but supports one that another series shows.
[[nodiscard]] std::optional<SteadySlope> weak_slope(std::span<const RateSample> series);

/// Deviation of the values of a window from a constant, as fractions of their mean; detects when the results of rounds
/// are steady.
struct RateSpread {
    double mean{};
    double excursion{}; ///< largest minus smallest value
    double slope{};     ///< rise or fall of the fitted line over the window; >= 0
    /// Limits: excursion at most 20 %, slope at most 10 %. Source: SNIA Solid State Storage Performance Test
    /// Specification, 2.0.1, 3.1.
    [[nodiscard]] bool steady() const { return excursion <= 0.20 && slope <= 0.10; }
};
/// Computes the spread of the last `window` values, in the order of measurement. Returns nothing if there are fewer
/// values, or if their mean is 0. Requires window >= 2.
[[nodiscard]] std::optional<RateSpread> steadiness(std::span<const double> values, std::size_t window);

} // namespace mediarig::measure

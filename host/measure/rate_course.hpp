// SPDX-License-Identifier: GPL-3.0-or-later
/// How the rate of one cell runs over its time. Pure.
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
/// Where the rate of a series changes for good: both sides at least 3 samples, their means and medians more than
/// 25 % apart, and the gap of the means more than 3 pooled standard deviations. The split with the least squared error;
/// nothing where none counts, or where a straight line leaves smaller squares.
[[nodiscard]] std::optional<LevelChange> level_change(std::span<const RateSample> series);

struct SteadySlope {
    Rate first, last; ///< of the fitted line, at the first and the last sample
    /// By how much the rate changes, as a part of the larger end; negative where it falls.
    [[nodiscard]] double change() const;
};
/// Where the rate of a series rises or falls steadily: at least 8 samples, a least-squares line that explains at least
/// half of the squares about the mean and leaves smaller squares than any change of level, and at least 10 % between
/// its ends. Nothing otherwise.
[[nodiscard]] std::optional<SteadySlope> steady_slope(std::span<const RateSample> series);

/// When what is measured in rounds has settled. Pure.

/// How far the values of a window are from a constant; parts of their mean.
struct Steadiness {
    double mean{};
    double excursion{}; ///< largest less smallest value
    double slope{};     ///< what the fitted line rises or falls over the window; >= 0
    /// SNIA Solid State Storage Performance Test Specification, 2.0.1, 3.1: at most 20 % and at most 10 %.
    [[nodiscard]] bool steady() const { return excursion <= 0.20 && slope <= 0.10; }
};
/// Of the last `window` values, in the order in which they were measured; nothing while there are fewer, or where their
/// mean is 0. Needs window >= 2.
[[nodiscard]] std::optional<Steadiness> steadiness(std::span<const double> values, std::size_t window);

} // namespace mediarig::measure

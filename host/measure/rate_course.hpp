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

} // namespace mediarig::measure

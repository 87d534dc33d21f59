// SPDX-License-Identifier: GPL-3.0-or-later
/// Looks for what could have faked a number. Pure; every rule states what it saw, why probably, and what to do.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "host/measure/finding.hpp"

namespace mediarig::measure {

/// One row of a block-size sweep of one operation.
struct SweepPoint {
    Bytes block;
    Rate rate;
};

/// A rate that falls by more than this as the block grows needs an explanation.
inline constexpr double monotone_tolerance = 0.10;

/// Indexes into `points` (ascending block sizes, rates > 0) of the cells that break the rule that a larger block is
/// not slower. Of each falling pair the cell is named that stands farther from what its neighbours let expect (their
/// geometric mean). Ascending, each once.
[[nodiscard]] std::vector<std::size_t> outside_envelope(std::span<const SweepPoint> points);

/// not_monotone, for `points[index]`; `operation` as people read it ("sequential write").
[[nodiscard]] Finding not_monotone(std::string_view operation, std::span<const SweepPoint> points, std::size_t index);

/// cache_suspected where sequential 4 KB transfers are faster than those of 256 KB: no medium does that, a host cache
/// does. Nothing where either size is missing.
[[nodiscard]] std::optional<Finding> small_blocks_too_fast(std::string_view operation,
                                                           std::span<const SweepPoint> points);

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
/// nothing where none counts.
[[nodiscard]] std::optional<LevelChange> level_change(std::span<const RateSample> series);
/// rate_unstable, for a change that was found.
[[nodiscard]] Finding rate_unstable(std::string_view operation, const LevelChange& change);

} // namespace mediarig::measure

// SPDX-License-Identifier: GPL-3.0-or-later
/// Looks for what could have faked a number. Pure; every rule states what it saw, why probably, and what to do.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "host/measure/finding.hpp"
#include "host/measure/rate_course.hpp"

namespace mediarig::measure {

/// One row of a block-size sweep of one operation.
struct SweepPoint {
    Bytes block;
    Rate rate;
};

/// A rate that falls by more than this as the block grows needs an explanation.
inline constexpr double monotone_tolerance = 0.10;

/// How far a cell stands from its neighbours: |ln| of its rate over their geometric mean; an outer cell has one
/// neighbour, and a lone one none (0).
[[nodiscard]] double distance_from_neighbours(std::span<const SweepPoint> points, std::size_t index);

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

/// What payload a USB link of this speed can carry at most, for bulk transfers; nothing where the speed is not known.
/// Source: USB 2.0, tables 5-9 (19 packets of 64 bytes a frame) and 5-10 (13 of 512 a microframe); USB 3.2, 8b/10b at
/// 5 Gbit/s and 128b/132b above.
[[nodiscard]] std::optional<Rate> ceiling_of_usb(double speed_mbit);

/// The same for an SD card's bus: a bit a line and clock, two of them in DDR50. `timing` as the kernel names it;
/// nothing for those that are none of a bus in parallel lines, and where clock or lines are not known. Source: SD
/// Physical Layer Simplified Specification, bus speed modes: SDR104 104 MB/s, SDR50 and DDR50 50, high speed 25,
/// default 12.5.
[[nodiscard]] std::optional<Rate> ceiling_of_sd(std::string_view timing, std::uint64_t clock_hz, std::uint32_t lines);

/// What a medium hangs on.
struct Link {
    std::string name;            ///< "a USB link of 480 Mbit/s"
    std::optional<Rate> ceiling; ///< of payload, where it is known
    bool usb{};
};
[[nodiscard]] Link usb_link(double speed_mbit);
[[nodiscard]] Link sd_link(std::string_view timing, std::uint64_t clock_hz, std::uint32_t lines);

/// One small request over USB takes longer than this: command, data and status are a transfer each. Where half of the
/// requests took less, this host answered.
inline constexpr std::chrono::microseconds least_usb_latency{20};

/// Making the payload has to be this many times faster than the medium, or its time says something of the number.
/// Source: KDiskMark#175 and f3#195, whose results were those of the generator.
inline constexpr double least_headroom = 3;

/// The longest that a card may be busy with one write, so a cell that is shorter may be one pause or none.
/// Source: SD Association, Physical Layer Simplified Specification 4.10, timing of the speed classes.
inline constexpr std::chrono::milliseconds longest_busy{250};
/// A longer operation is a spike where it also takes this many times the median.
inline constexpr double spike_factor = 10;

/// "sequential write 1024KB: the rate fell from 90.000 to 20.000 MB/s after 5 s".
[[nodiscard]] std::string level_text(std::string_view operation, const LevelChange& change);
/// "sequential read 1024KB: the rate fell steadily from 148.000 to 116.000 MB/s".
[[nodiscard]] std::string slope_text(std::string_view operation, const SteadySlope& slope);
/// rate_unstable, for a change that was found.
[[nodiscard]] Finding rate_unstable(std::string_view operation, const LevelChange& change);

} // namespace mediarig::measure

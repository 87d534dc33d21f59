// SPDX-License-Identifier: GPL-3.0-or-later
/// Detects effects that falsify a number. Pure. Every rule gives the observation, the probable cause and the remedy.
#pragma once

#include <chrono>
#include <cstdint>
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
    bool host_was_busy{}; ///< true: a rule about the medium needs more evidence
};

/// A rate that falls by more than this as the block grows requires an explanation.
inline constexpr double monotone_tolerance = 0.10;
/// Replaces monotone_tolerance if the host was busy during one of the two cells.
inline constexpr double busy_monotone_tolerance = 0.30;

/// If a test exceeds one of these limits, other processes or guests delayed it. The first three limits are fractions of
/// the time of a cell; on an idle host each fraction is below 0.01. A processor that two processes share switches
/// between them some 100 times per second.
inline constexpr double most_processor_wait = 0.10, most_memory_wait = 0.10, most_stolen = 0.05;
inline constexpr double most_involuntary_switches_per_second = 100;
/// A short cell on an idle host has up to this number of switches, by threads of the kernel.
inline constexpr std::uint64_t usual_involuntary_switches = 10;

/// A fall or change of the rate of a cell that is attributed to the medium although the host was busy, as a fraction.
inline constexpr double busy_least_change = 0.50;

/// Distance of a cell from its neighbours: |ln| of its rate divided by their geometric mean. An outer cell has one
/// neighbour, a single cell none (0).
[[nodiscard]] double distance_from_neighbours(std::span<const SweepPoint> points, std::size_t index);

/// Indices into `points` (ascending block sizes, rates > 0) of the cells that break the rule that a larger block is not
/// slower. For each falling pair, the cell with the larger distance from the geometric mean of its neighbours is
/// reported. Ascending, each once.
[[nodiscard]] std::vector<std::size_t> outside_envelope(std::span<const SweepPoint> points);

/// The finding not_monotone for `points[index]`; `operation` in its displayed form ("sequential write"). `busy`: the
/// load of the host during the two cells in words; empty if it was not busy.
[[nodiscard]] Finding not_monotone(std::string_view operation, std::span<const SweepPoint> points, std::size_t index,
                                   std::string_view busy = {});

/// Sequential 4 KB transfers that are this many times faster than those of 256 KB come from a cache. A medium whose
/// commands cost nothing has the same rate for both, and two cells of a pass differ by some per cent. Source: published
/// Xbench tables, where a cache gave 44 to 59 times the rate.
inline constexpr double least_cache_factor = 2;
/// Replaces least_cache_factor if the host was busy during one of the two cells.
inline constexpr double busy_least_cache_factor = 4;
/// The finding cache_suspected if 4 KB transfers are faster by that factor. Returns nothing if either size is
/// missing. `busy` as for not_monotone().
[[nodiscard]] std::optional<Finding> small_blocks_too_fast(std::string_view operation,
                                                           std::span<const SweepPoint> points,
                                                           std::string_view busy = {});

/// Maximum payload rate of a USB link of this speed with bulk transfers; empty if the speed is unknown. Source: USB
/// 2.0, tables 5-9 (19 packets of 64 bytes per frame) and 5-10 (13 of 512 per microframe); USB 3.2, 8b/10b at 5 Gbit/s
/// and 128b/132b above.
[[nodiscard]] std::optional<Rate> ceiling_of_usb(double speed_mbit);

/// Maximum rate of an SD card's bus: one bit per line and clock, two in DDR50. `timing`: the kernel's name; empty for a
/// timing without parallel lines, and if clock or lines are unknown. Source: SD Physical Layer Simplified
/// Specification, bus speed modes: SDR104 104 MB/s, SDR50 and DDR50 50, high speed 25, default 12.5.
[[nodiscard]] std::optional<Rate> ceiling_of_sd(std::string_view timing, std::uint64_t clock_hz, std::uint32_t lines);

/// A connection between host and medium.
struct BusLink {
    std::string name;            ///< e.g. "a USB link of 480 Mbit/s"
    std::optional<Rate> ceiling; ///< payload rate, if known
    bool usb{};
};
[[nodiscard]] BusLink usb_link(double speed_mbit);
[[nodiscard]] BusLink sd_link(std::string_view timing, std::uint64_t clock_hz, std::uint32_t lines);

/// A small request over USB takes longer than this: command, data and status are one transfer each. If half of the
/// requests took less, the host served them.
inline constexpr std::chrono::microseconds least_usb_latency{20};

/// Generating the payload must be this many times faster than the medium; otherwise its time affects the result.
/// Source: KDiskMark#175 and f3#195, where the results were the speed of the generator.
inline constexpr double least_headroom = 3;

/// The longest time that a card may be busy with one write. A shorter cell may consist of one pause, or contain none.
/// Source: SD Association, Physical Layer Simplified Specification 4.10, timing of the speed classes.
inline constexpr std::chrono::milliseconds longest_busy{250};
/// An operation is a spike if it is longer than longest_busy and takes this many times the median …
inline constexpr double spike_factor = 10;
/// … or if it takes twice the median and exceeds the median by this time. On a slow medium, ten times the median are
/// seconds, but a much shorter pause already interrupts a recording.
inline constexpr std::chrono::milliseconds spike_excess{500};
inline constexpr double least_spike_factor = 2;
/// The least length of a spike, and the least delay of a slow region, that is attributed to the medium although the host
/// was busy.
inline constexpr std::chrono::seconds busy_least_spike{1};

/// E.g. "sequential write 1024KB: the rate fell from 90.000 to 20.000 MB/s after 5 s".
[[nodiscard]] std::string level_text(std::string_view operation, const LevelChange& change);
/// E.g. "sequential read 1024KB: the rate fell steadily from 148.000 to 116.000 MB/s".
[[nodiscard]] std::string slope_text(std::string_view operation, const SteadySlope& slope);
/// The finding rate_unstable for a detected change. `busy` as for not_monotone().
[[nodiscard]] Finding rate_unstable(std::string_view operation, const LevelChange& change, std::string_view busy = {});

} // namespace mediarig::measure

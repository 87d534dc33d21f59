// SPDX-License-Identifier: GPL-3.0-or-later
/// The arithmetic of published tables, so that our figures stand beside theirs. Each rule was found by recomputing the
/// published tables from their own rows; host/published/ holds them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "common/units.hpp"

namespace mediarig::measure {

/// One column of a block-size table, summed up in two ways.
struct ColumnScore {
    /// Arithmetic mean of the rows, as QuickBench prints for its "Average", "Lg Ave" and "Ext Ave"; label it
    /// "QuickBench-compatible". It gives the big blocks most of the weight.
    double average{};
    /// Harmonic mean: the rate at which the same volume at each block size, one after the other, would have moved.
    double time_weighted{};
    bool operator==(const ColumnScore&) const = default;
};
/// `rates` in any one unit, which is also that of the score. Nothing when empty or a rate is <= 0.
[[nodiscard]] std::optional<ColumnScore> column_score(std::span<const double> rates);

/// What DiskTester prints for its IOPS test of 256 MiB in operations of 8 KiB.
struct IopsScore {
    double seconds{};
    Rate rate; ///< DiskTester's "MB/s" is rate.mebibytes_per_second(): its MB is 2^20
    double operations_per_second{};
    bool operator==(const IopsScore&) const = default;
};
inline constexpr Bytes disktester_iops_volume = 256_MiB;
inline constexpr Bytes disktester_iops_block = 8_KiB;
/// Nothing where no time passed.
[[nodiscard]] std::optional<IopsScore> iops_score(Bytes moved, std::uint64_t operations,
                                                  std::chrono::nanoseconds elapsed);

} // namespace mediarig::measure

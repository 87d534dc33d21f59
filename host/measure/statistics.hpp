// SPDX-License-Identifier: GPL-3.0-or-later
/// Statistics of a small number of passes. A figure that does not exist is empty, never zero.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "common/units.hpp"

namespace mediarig::measure {

/// Arithmetic mean; returns nothing for an empty list.
[[nodiscard]] std::optional<double> mean(std::span<const double> values);

/// Sample standard deviation (n - 1); returns nothing for fewer than two values.
[[nodiscard]] std::optional<double> stddev(std::span<const double> values);

/// Half the width of the two-sided 95 % interval of the mean, Student's t with n - 1 degrees of freedom:
/// t(0.975, n - 1) * s / sqrt(n). Assumes independent, roughly normal values. Returns nothing for fewer than two
/// values.
[[nodiscard]] std::optional<double> half_width_95(std::span<const double> values);

/// n / sum(1 / x): the mean rate of equal amounts in sequence. Returns nothing for an empty list or a value <= 0.
[[nodiscard]] std::optional<double> harmonic_mean(std::span<const double> values);

/// Returns nothing for an empty list or a value <= 0.
[[nodiscard]] std::optional<double> geometric_mean(std::span<const double> values);

/// The middle value, or the mean of the two middle values; returns nothing for an empty list.
[[nodiscard]] std::optional<double> median(std::span<const double> values);

struct Spread {
    double least{};
    double most{};
    bool operator==(const Spread&) const = default;
};
/// Smallest and largest value; returns nothing for an empty list.
[[nodiscard]] std::optional<Spread> spread(std::span<const double> values);

struct Point {
    double x{}, y{};
};
struct FittedLine {
    double slope{};
    double intercept{};
};
/// Theil-Sen line: median pairwise slope, median intercept (Theil 1950, Sen 1968). Robust against up to 29 % arbitrary
/// points. Returns nothing if fewer than two x differ.
[[nodiscard]] std::optional<FittedLine> theil_sen(std::span<const Point> points);

/// Two summaries of one column of a block-size table, by the formulas of published tables, so that results can be
/// compared with them. Each rule was found by recomputing the published tables from their own rows;
/// host/report/published/ contains them.
struct ColumnScore {
    /// Arithmetic mean of the rows, as QuickBench prints for its "Average", "Lg Ave" and "Ext Ave"; label it
    /// "QuickBench-compatible". Large blocks have most of the weight.
    double average{};
    /// Harmonic mean: the rate of transferring the same volume with each block size, one after the other.
    double time_weighted{};
    bool operator==(const ColumnScore&) const = default;
};
/// `rates`: in any single unit, which is also that of the score. Returns nothing if empty or if a rate is <= 0.
[[nodiscard]] std::optional<ColumnScore> column_score(std::span<const double> rates);

/// The figures that DiskTester prints for its IOPS test of 256 MiB in operations of 8 KiB.
struct IopsScore {
    double seconds{};
    Rate rate; ///< DiskTester's "MB/s" is rate.mebibytes_per_second(): its MB is 2^20
    double operations_per_second{};
    bool operator==(const IopsScore&) const = default;
};
inline constexpr Bytes disktester_iops_volume = 256_MiB;
inline constexpr Bytes disktester_iops_block = 8_KiB;
/// Returns nothing if no time passed.
[[nodiscard]] std::optional<IopsScore> iops_score(Bytes moved, std::uint64_t operations,
                                                  std::chrono::nanoseconds elapsed);

} // namespace mediarig::measure

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/scores.hpp"

#include "host/measure/statistics.hpp"

namespace mediarig::measure {

std::optional<ColumnScore> column_score(std::span<const double> rates) {
    const auto time_weighted = harmonic_mean(rates);
    if (!time_weighted) return std::nullopt;
    return ColumnScore{.average = *mean(rates), .time_weighted = *time_weighted};
}

std::optional<IopsScore> iops_score(Bytes moved, std::uint64_t operations, std::chrono::nanoseconds elapsed) {
    if (elapsed.count() <= 0) return std::nullopt;
    return IopsScore{.seconds = std::chrono::duration<double>(elapsed).count(),
                     .rate = rate_of(moved, elapsed),
                     .operations_per_second = operations_per_second(operations, elapsed)};
}

} // namespace mediarig::measure

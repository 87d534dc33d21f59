// SPDX-License-Identifier: GPL-3.0-or-later
/// Axes: from values to places, and where the ticks are. Pure.
#pragma once

#include <vector>

#include "host/report/charts.hpp"

namespace mediarig::report {

struct Axis {
    double low{}, high{}; ///< values at its ends; low < high, and 0 < low where it is logarithmic
    bool logarithmic{};
    std::vector<double> ticks; ///< ascending, within the ends

    /// 0 at `low`, 1 at `high`.
    [[nodiscard]] double share_of(double value) const;
};

/// From zero, or logarithmic where the largest value is more than ten times the smallest one. Its ends are ticks.
[[nodiscard]] Axis value_axis(const ValueRange& range);
/// From zero to `last`, which need not be a tick.
[[nodiscard]] Axis time_axis(double last);

} // namespace mediarig::report

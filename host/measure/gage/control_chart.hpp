// SPDX-License-Identifier: GPL-3.0-or-later
/// Control charts of single values (XmR) for a golden medium that is measured repeatedly: they detect changes of the
/// station. Sources: Wheeler and Chambers, Understanding Statistical Process Control, 2nd edition, chapter 3 (2.66 and
/// 3.267 for moving ranges of two); Western Electric, Statistical Quality Control Handbook, 1956 (rules 1 to 4).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::measure {

struct ControlLimits {
    double centre{}, lower{}, upper{};  ///< centre line and limits of the values
    double mean_range{}, upper_range{}; ///< mean and limit of the moving ranges
    bool operator==(const ControlLimits&) const = default;
};

enum class ControlRule : std::uint8_t {
    beyond_limits,  ///< one value beyond three sigma
    moving_range,   ///< one moving range beyond its limit
    two_of_three,   ///< two of three successive values beyond two sigma, on one side
    four_of_five,   ///< four of five successive values beyond one sigma, on one side
    eight_in_a_row, ///< eight successive values on one side of the centre
};
[[nodiscard]] std::string_view name_of(ControlRule rule);

struct ControlSignal {
    std::size_t index{}; ///< index of the value that completes the signal
    ControlRule rule{};
    bool operator==(const ControlSignal&) const = default;
};

/// Computes limits from values of a stable period, in the order of measurement. Fails with bad_request: fewer than 8
/// values, one that is not a number, or all equal.
[[nodiscard]] Result<ControlLimits> control_limits(const std::vector<double>& values);

/// Signals in the order of the values. Requires finite values.
[[nodiscard]] std::vector<ControlSignal> control_signals(const std::vector<double>& values,
                                                         const ControlLimits& limits);

} // namespace mediarig::measure

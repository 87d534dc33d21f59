// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/gage/control_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "host/base/enum_names.hpp"

namespace mediarig::measure {
namespace {

constexpr std::size_t fewest_values = 8;
constexpr double of_values = 2.66, of_ranges = 3.267;

constexpr std::array rule_names{Name<ControlRule>{ControlRule::beyond_limits, "beyond the limits"},
                                Name<ControlRule>{ControlRule::moving_range, "moving range beyond its limit"},
                                Name<ControlRule>{ControlRule::two_of_three, "two of three beyond two sigma"},
                                Name<ControlRule>{ControlRule::four_of_five, "four of five beyond one sigma"},
                                Name<ControlRule>{ControlRule::eight_in_a_row, "eight in a row on one side"}};

/// Returns true if `least` of the last `window` values up to `index`, including the one at `index`, are beyond `sigmas`
/// on one side.
bool runs_beyond(const std::vector<double>& scaled, std::size_t index, std::size_t window, std::size_t least,
                 double sigmas) {
    if (index + 1 < window) return false;
    const auto first = scaled.begin() + static_cast<std::ptrdiff_t>(index + 1 - window);
    const auto last = scaled.begin() + static_cast<std::ptrdiff_t>(index + 1);
    const auto above = [sigmas](double value) { return value > sigmas; };
    const auto below = [sigmas](double value) { return value < -sigmas; };
    const auto enough = [&](const auto& beyond) {
        return beyond(scaled[index]) && static_cast<std::size_t>(std::count_if(first, last, beyond)) >= least;
    };
    return enough(above) || enough(below);
}

} // namespace

std::string_view name_of(ControlRule rule) {
    return name_in(rule_names, rule);
}

Result<ControlLimits> control_limits(const std::vector<double>& values) {
    if (values.size() < fewest_values)
        return fail(Errc::bad_request, fmt::format("control limits need at least {} values, and there are {}: measure "
                                                   "the golden medium more often",
                                                   fewest_values, values.size()));
    if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
        return fail(Errc::bad_request, "a value of the control chart is not a number");
    double ranges = 0;
    for (std::size_t index = 1; index < values.size(); ++index) ranges += std::abs(values[index] - values[index - 1]);
    const double mean_range = ranges / static_cast<double>(values.size() - 1);
    if (mean_range == 0)
        return fail(Errc::bad_request,
                    "all values of the control chart are equal, so they are not independent measurements");
    const double centre = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    return ControlLimits{.centre = centre,
                         .lower = centre - of_values * mean_range,
                         .upper = centre + of_values * mean_range,
                         .mean_range = mean_range,
                         .upper_range = of_ranges * mean_range};
}

std::vector<ControlSignal> control_signals(const std::vector<double>& values, const ControlLimits& limits) {
    const double sigma = (limits.upper - limits.centre) / 3;
    std::vector<double> scaled;
    scaled.reserve(values.size());
    for (const double value : values) scaled.push_back((value - limits.centre) / sigma);
    std::vector<ControlSignal> signals;
    for (std::size_t index = 0; index < values.size(); ++index) {
        const auto add = [&](bool seen, ControlRule rule) {
            if (seen) signals.push_back({.index = index, .rule = rule});
        };
        add(values[index] > limits.upper || values[index] < limits.lower, ControlRule::beyond_limits);
        add(index > 0 && std::abs(values[index] - values[index - 1]) > limits.upper_range, ControlRule::moving_range);
        add(runs_beyond(scaled, index, 3, 2, 2), ControlRule::two_of_three);
        add(runs_beyond(scaled, index, 5, 4, 1), ControlRule::four_of_five);
        add(runs_beyond(scaled, index, 8, 8, 0), ControlRule::eight_in_a_row);
    }
    return signals;
}

} // namespace mediarig::measure

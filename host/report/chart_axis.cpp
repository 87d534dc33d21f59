// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/chart_axis.hpp"

#include <algorithm>
#include <cmath>

namespace mediarig::report {
namespace {

constexpr double wide_span = 10;
/// Up to this many decades there is a tick at 1, 2 and 5 of each.
constexpr double fine_decades = 1.7;

std::vector<double> steps_of(double decades) {
    if (decades <= fine_decades) return {1, 2, 5};
    return decades <= 3 ? std::vector<double>{1, 3} : std::vector<double>{1};
}

/// All ticks of the decades that hold `low` to `high`, one beyond either end at most.
std::vector<double> logarithmic_ticks(double low, double high) {
    const std::vector<double> steps = steps_of(std::log10(high / low));
    std::vector<double> ticks;
    const int first = static_cast<int>(std::floor(std::log10(low)));
    const int last = static_cast<int>(std::ceil(std::log10(high)));
    for (int decade = first; decade <= last; ++decade)
        for (const double step : steps) ticks.push_back(step * std::pow(10.0, decade));
    while (ticks.size() > 2 && ticks[1] <= low) ticks.erase(ticks.begin());
    while (ticks.size() > 2 && ticks[ticks.size() - 2] >= high) ticks.pop_back();
    return ticks;
}

/// 1, 2 or 5 times a power of ten, so that about four of them reach `high`.
double step_for(double high) {
    const double rough = high / 4;
    const double decade = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double step : {1.0, 2.0, 5.0})
        if (rough <= step * decade) return step * decade;
    return 10 * decade;
}

} // namespace

double Axis::share_of(double value) const {
    if (logarithmic) return std::log(value / low) / std::log(high / low);
    return (value - low) / (high - low);
}

Axis value_axis(const ValueRange& range) {
    if (range.low > 0 && range.high > wide_span * range.low) {
        Axis axis{.low = {}, .high = {}, .logarithmic = true, .ticks = logarithmic_ticks(range.low, range.high)};
        axis.low = axis.ticks.front();
        axis.high = axis.ticks.back();
        return axis;
    }
    Axis axis = time_axis(range.high);
    axis.high = axis.ticks.back();
    if (axis.high < range.high) axis.ticks.push_back(axis.high += step_for(range.high));
    return axis;
}

Axis time_axis(double last) {
    if (last <= 0 || !std::isfinite(last)) return {.low = 0, .high = 1, .logarithmic = false, .ticks = {0, 1}};
    const double step = step_for(last);
    Axis axis{.low = 0, .high = last, .logarithmic = false, .ticks = {}};
    const auto count = static_cast<std::size_t>(last / step * (1 + 1e-9));
    for (std::size_t i = 0; i <= count; ++i) axis.ticks.push_back(step * static_cast<double>(i));
    return axis;
}

} // namespace mediarig::report

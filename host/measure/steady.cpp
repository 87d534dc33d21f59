// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/steady.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mediarig::measure {

std::optional<Steadiness> steadiness(std::span<const double> values, std::size_t window) {
    if (values.size() < window) return std::nullopt;
    const auto last = values.last(window);
    const double count = static_cast<double>(window);
    const double mean = std::accumulate(last.begin(), last.end(), 0.0) / count;
    if (mean <= 0) return std::nullopt;
    const auto [low, high] = std::ranges::minmax(last);
    // Least squares over the numbers of the rounds: slope = sum of (x - mean x) * y over sum of (x - mean x)^2.
    const double middle = (count - 1) / 2;
    double products = 0, squares = 0;
    for (std::size_t i = 0; i < window; ++i) {
        const double distance = static_cast<double>(i) - middle;
        products += distance * last[i];
        squares += distance * distance;
    }
    return Steadiness{
        .mean = mean, .excursion = (high - low) / mean, .slope = std::abs(products / squares) * (count - 1) / mean};
}

} // namespace mediarig::measure

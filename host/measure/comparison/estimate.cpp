// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace mediarig::measure::comparison {
namespace {

double centre(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Sum of squared deviations from the mean, in two passes: one pass loses its digits where the scatter is small.
double squares_about_mean(std::span<const double> values) {
    const double middle = centre(values);
    double squares = 0;
    for (const double value : values) squares += (value - middle) * (value - middle);
    return squares;
}

} // namespace

Estimate mean_of(std::span<const double> values) {
    const auto n = static_cast<double>(values.size());
    return {centre(values), std::sqrt(squares_about_mean(values) / (n * (n - 1))), n - 1};
}

Estimate trimmed_mean_of(std::span<const double> values, std::size_t cut) {
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const std::span<const double> kept = std::span(sorted).subspan(cut, sorted.size() - 2 * cut);
    const double value = centre(kept);
    const auto h = static_cast<double>(kept.size());
    // Winsorised: what was cut becomes the next inner value.
    std::fill_n(sorted.begin(), cut, kept.front());
    std::fill_n(sorted.rbegin(), cut, kept.back());
    return {value, std::sqrt(squares_about_mean(sorted) / (h * (h - 1))), h - 1};
}

} // namespace mediarig::measure::comparison

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <vector>

namespace mediarig::measure {
namespace {

bool all_positive(std::span<const double> values) {
    return !values.empty() && std::all_of(values.begin(), values.end(), [](double v) { return v > 0; });
}

} // namespace

std::optional<double> mean(std::span<const double> values) {
    if (values.empty()) return std::nullopt;
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<double> stddev(std::span<const double> values) {
    if (values.size() < 2) return std::nullopt;
    const double middle = *mean(values);
    double squares = 0;
    for (const double value : values) squares += (value - middle) * (value - middle);
    return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

std::optional<double> half_width_95(std::span<const double> values) {
    const auto deviation = stddev(values);
    if (!deviation) return std::nullopt;
    const auto n = static_cast<double>(values.size());
    const boost::math::students_t distribution(n - 1);
    return boost::math::quantile(distribution, 0.975) * *deviation / std::sqrt(n);
}

std::optional<double> harmonic_mean(std::span<const double> values) {
    if (!all_positive(values)) return std::nullopt;
    double reciprocals = 0;
    for (const double value : values) reciprocals += 1.0 / value;
    return static_cast<double>(values.size()) / reciprocals;
}

std::optional<double> geometric_mean(std::span<const double> values) {
    if (!all_positive(values)) return std::nullopt;
    double logarithms = 0;
    for (const double value : values) logarithms += std::log(value);
    return std::exp(logarithms / static_cast<double>(values.size()));
}

std::optional<double> median(std::span<const double> values) {
    if (values.empty()) return std::nullopt;
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

std::optional<Spread> spread(std::span<const double> values) {
    if (values.empty()) return std::nullopt;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return Spread{*least, *most};
}

std::optional<FittedLine> theil_sen(std::span<const Point> points) {
    std::vector<double> slopes;
    for (std::size_t i = 0; i < points.size(); ++i)
        for (std::size_t j = i + 1; j < points.size(); ++j)
            if (points[i].x != points[j].x) slopes.push_back((points[j].y - points[i].y) / (points[j].x - points[i].x));
    const auto slope = median(slopes);
    if (!slope) return std::nullopt;
    std::vector<double> rests;
    for (const Point& point : points) rests.push_back(point.y - *slope * point.x);
    return FittedLine{.slope = *slope, .intercept = *median(rests)};
}

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

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/rate_course.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "host/measure/statistics.hpp"

namespace mediarig::measure {
namespace {

constexpr std::size_t least_samples = 3;
constexpr double least_change = 0.25;
constexpr double least_deviations = 3;
constexpr std::size_t least_for_slope = 8;
constexpr double least_slope = 0.10;
constexpr double least_explained = 0.5;
constexpr double weak_slope_change = 0.05;
constexpr double weakly_explained = 0.2;

struct Segment {
    double mean{};
    double squares{}; ///< sum of squared distances from the mean
};

Segment segment_of(std::span<const double> rates) {
    Segment result{.mean = *mean(rates)};
    for (const double rate : rates) result.squares += (rate - result.mean) * (rate - result.mean);
    return result;
}

struct Split {
    std::size_t at{}; ///< index of the split; 0: the series is too short for a split
    double squares{};
};

Split best_split(std::span<const double> rates) {
    Split best;
    for (std::size_t at = least_samples; at + least_samples <= rates.size(); ++at) {
        const double squares = segment_of(rates.first(at)).squares + segment_of(rates.subspan(at)).squares;
        if (best.at == 0 || squares < best.squares) best = {.at = at, .squares = squares};
    }
    return best;
}

struct Line {
    double first{}, last{}; ///< value of the line at the first and at the last sample
    double squares{};       ///< sum of squared residuals
};

/// Least squares over the indices of the samples. Requires at least two.
Line line_of(std::span<const double> rates) {
    const auto n = static_cast<double>(rates.size());
    const double middle = (n - 1) / 2;
    const double average = *mean(rates);
    double products = 0;
    double squares_of_x = 0;
    for (std::size_t i = 0; i < rates.size(); ++i) {
        const double x = static_cast<double>(i) - middle;
        products += x * (rates[i] - average);
        squares_of_x += x * x;
    }
    const double slope = products / squares_of_x;
    Line line{.first = average - slope * middle, .last = average + slope * middle};
    for (std::size_t i = 0; i < rates.size(); ++i) {
        const double left = rates[i] - average - slope * (static_cast<double>(i) - middle);
        line.squares += left * left;
    }
    return line;
}

/// Returns nothing if a sample took no time.
std::optional<std::vector<double>> rates_of(std::span<const RateSample> series) {
    std::vector<double> rates;
    for (const RateSample& sample : series) {
        if (sample.length.count() <= 0) return std::nullopt;
        rates.push_back(rate_of(sample.moved, sample.length).bytes_per_second);
    }
    // The last sample is usually a fraction of a second: too short for a separate level.
    if (series.size() > 1 && series.back().length * 2 < series.front().length) rates.pop_back();
    return rates;
}

Rate rate_over(std::span<const RateSample> samples) {
    Bytes moved;
    std::chrono::nanoseconds length{};
    for (const RateSample& sample : samples) {
        moved += sample.moved;
        length += sample.length;
    }
    return rate_of(moved, length);
}

} // namespace

std::optional<LevelChange> level_change(std::span<const RateSample> series) {
    const auto rates = rates_of(series);
    if (!rates || rates->size() < 2 * least_samples) return std::nullopt;
    const std::span<const double> all(*rates);
    const Split split = best_split(all);
    if (line_of(all).squares < split.squares) return std::nullopt;
    const double before = segment_of(all.first(split.at)).mean;
    const double after = segment_of(all.subspan(split.at)).mean;
    const double gap = std::abs(before - after);
    // A single outlier shifts a mean but is no level.
    const double middle_before = *median(all.first(split.at));
    const double middle_after = *median(all.subspan(split.at));
    if (std::abs(middle_before - middle_after) <= least_change * std::max(middle_before, middle_after))
        return std::nullopt;
    const double deviation = std::sqrt(split.squares / static_cast<double>(all.size() - 2));
    if (gap <= least_change * std::max(before, after) || gap <= least_deviations * deviation) return std::nullopt;

    std::chrono::nanoseconds at{};
    for (const RateSample& sample : series.first(split.at)) at += sample.length;
    return LevelChange{
        .at = at, .before = rate_over(series.first(split.at)), .after = rate_over(series.subspan(split.at))};
}

double SteadySlope::change() const {
    return (last.bytes_per_second - first.bytes_per_second) / std::max(last.bytes_per_second, first.bytes_per_second);
}

std::optional<SteadySlope> steady_slope(std::span<const RateSample> series) {
    const auto rates = rates_of(series);
    if (!rates || rates->size() < least_for_slope) return std::nullopt;
    const Line line = line_of(*rates);
    if (line.squares > (1 - least_explained) * segment_of(*rates).squares) return std::nullopt;
    if (best_split(*rates).squares <= line.squares) return std::nullopt;
    const SteadySlope slope{.first = {line.first}, .last = {line.last}};
    if (std::max(line.first, line.last) <= 0 || std::abs(slope.change()) < least_slope) return std::nullopt;
    return slope;
}

std::optional<SteadySlope> weak_slope(std::span<const RateSample> series) {
    const auto rates = rates_of(series);
    if (!rates || rates->size() < least_for_slope) return std::nullopt;
    const Line line = line_of(*rates);
    if (line.squares > (1 - weakly_explained) * segment_of(*rates).squares) return std::nullopt;
    const SteadySlope slope{.first = {line.first}, .last = {line.last}};
    if (std::max(line.first, line.last) <= 0 || std::abs(slope.change()) < weak_slope_change) return std::nullopt;
    return slope;
}

std::optional<RateSpread> steadiness(std::span<const double> values, std::size_t window) {
    if (values.size() < window) return std::nullopt;
    const auto last = values.last(window);
    const double count = static_cast<double>(window);
    const double mean = std::accumulate(last.begin(), last.end(), 0.0) / count;
    if (mean <= 0) return std::nullopt;
    const auto [low, high] = std::ranges::minmax(last);
    // Least squares over the indices of the rounds: slope = sum of (x - mean x) * y over sum of (x - mean x)^2.
    const double middle = (count - 1) / 2;
    double products = 0, squares = 0;
    for (std::size_t i = 0; i < window; ++i) {
        const double distance = static_cast<double>(i) - middle;
        products += distance * last[i];
        squares += distance * distance;
    }
    return RateSpread{
        .mean = mean, .excursion = (high - low) / mean, .slope = std::abs(products / squares) * (count - 1) / mean};
}

} // namespace mediarig::measure

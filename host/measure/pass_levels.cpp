// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/pass_levels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "host/measure/statistics.hpp"

namespace mediarig::measure {
namespace {

constexpr double drift_fires = 0.02;
constexpr std::size_t least_for_first = 3;
constexpr std::size_t least_for_drift = 5;

/// Probability that `n` values in random order have at most `inversions` descending pairs. The orders of n values with
/// k inversions are the orders of n - 1 values with k - i, i < n.
double chance_of_inversions(std::size_t n, std::size_t inversions) {
    std::vector<double> chances{1};
    for (std::size_t values = 2; values <= n; ++values) {
        std::vector<double> next(chances.size() + values - 1);
        for (std::size_t k = 0; k < chances.size(); ++k)
            for (std::size_t i = 0; i < values; ++i) next[k + i] += chances[k] / static_cast<double>(values);
        chances = std::move(next);
    }
    double sum = 0;
    for (std::size_t k = 0; k <= inversions && k < chances.size(); ++k) sum += chances[k];
    return sum;
}

} // namespace

std::optional<double> first_pass_apart(std::span<const double> levels) {
    if (levels.size() < least_for_first) return std::nullopt;
    const auto others = levels.subspan(1);
    const double apart = levels.front() - *median(others);
    const Spread scatter = *spread(others);
    if (std::abs(apart) <= std::max(least_level_change, 2 * (scatter.most - scatter.least))) return std::nullopt;
    return apart;
}

std::optional<Drift> drift_of(std::span<const double> levels) {
    if (levels.size() < least_for_drift) return std::nullopt;
    std::size_t falling = 0;
    std::size_t rising = 0;
    std::vector<Point> points;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        points.push_back({static_cast<double>(i), levels[i]});
        for (std::size_t j = i + 1; j < levels.size(); ++j) {
            falling += levels[j] < levels[i] ? 1 : 0;
            rising += levels[j] > levels[i] ? 1 : 0;
        }
    }
    // Equal pairs count for the smaller side, because they are no sign of a drift.
    const std::size_t pairs = levels.size() * (levels.size() - 1) / 2;
    const std::size_t against = pairs - std::max(falling, rising);
    const double p = std::min(1.0, 2 * chance_of_inversions(levels.size(), against));
    const auto line = theil_sen(points);
    const double change = line ? line->slope * static_cast<double>(levels.size() - 1) : 0;
    if (p > drift_fires || std::abs(change) < least_level_change) return std::nullopt;
    return Drift{.change = change, .p = p};
}

} // namespace mediarig::measure

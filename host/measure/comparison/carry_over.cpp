// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/carry_over.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "host/measure/comparison/estimate.hpp"

namespace mediarig::measure::comparison {
namespace {

enum class Answer : std::uint8_t { first, second, same, nothing };

Answer answer_of(const Estimate& of, double margin, double alpha) {
    const double half = t_critical(alpha, of.freedom) * of.error;
    if (std::abs(of.value) > half) return of.value > 0 ? Answer::first : Answer::second;
    const bool within = std::abs(of.value) + t_critical(2 * alpha, of.freedom) * of.error < margin;
    return within ? Answer::same : Answer::nothing;
}

} // namespace

std::optional<CarryOver> carry_over(std::span<const FollowingBlock> blocks, double least) {
    std::vector<double> same, turned;
    for (const FollowingBlock& block : blocks) (block.same ? same : turned).push_back(block.value);
    if (same.size() < 2 || turned.size() < 2) return std::nullopt;
    const Estimate by_same = mean_of(same), by_turned = mean_of(turned);
    const auto n_same = static_cast<double>(same.size()), n_turned = static_cast<double>(turned.size());
    const double freedom = n_same + n_turned - 2;
    const auto squares = [](const Estimate& of, double n) { return of.error * of.error * n * (n - 1); };
    const double pooled =
        std::max(least, std::sqrt((squares(by_same, n_same) + squares(by_turned, n_turned)) / freedom));
    const double difference = by_same.value - by_turned.value;
    const double error = pooled * std::sqrt(1 / n_same + 1 / n_turned);
    CarryOver found;
    found.p = t_two_sided(difference / error, freedom);
    found.steady = {2 * by_same.value - by_turned.value, pooled * std::sqrt(4 / n_same + 1 / n_turned), freedom};
    found.switching = {by_turned.value, pooled / std::sqrt(n_turned), freedom};
    return found;
}

bool depends_on_before(const CarryOver& found, double margin, double alpha) {
    return found.p < carry_over_fires &&
           answer_of(found.steady, margin, alpha) != answer_of(found.switching, margin, alpha);
}

} // namespace mediarig::measure::comparison

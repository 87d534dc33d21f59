// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/measure/comparison/campaign.hpp"

#include <cmath>
#include <vector>

#include "host/measure/comparison/estimate.hpp"
#include "host/measure/counterbalance.hpp"

namespace mediarig::comparison_worlds {
namespace {

using namespace measure::comparison;

constexpr double margin = 0.05;

/// The card and the order use independent random numbers.
constexpr std::uint64_t order_of(std::uint64_t seed) {
    return ~seed;
}

double planted(std::size_t format, double effect) {
    return format == 0 ? std::log1p(effect) : 0.0;
}

} // namespace

Outcome by_the_rule(const World& world, double effect, std::size_t budget, std::uint64_t seed, Order order_kind) {
    Draws draws(seed);
    const auto card = world.card(draws);
    Comparison comparison({.formats = 2, .terms = {.budget = budget, .margin = margin, .quantum = world.quantum}});
    auto orders = order_kind == Order::shuffled_pairs ? measure::shuffled_pairs(2, budget, SplitMix(order_of(seed)))
                                                      : measure::random_orders(2, budget, SplitMix(order_of(seed)));
    if (order_kind == Order::strict)
        for (std::size_t i = 0; i < orders.size(); ++i) orders[i] = {i % 2, 1 - i % 2};
    for (const auto& order : orders) {
        if (comparison.ended()) break;
        std::vector<Pass> block;
        for (const std::size_t format : order)
            block.push_back(
                {.format = format, .figures = {std::exp(planted(format, effect) + card->pass(format, draws))}});
        comparison.add(block);
    }
    const PairResult& pair_result = comparison.pair_results().front();
    const double truth = std::log1p(effect);
    Outcome outcome{.passes = 2 * comparison.blocks(),
                    .covered = pair_result.look.from() <= truth && truth <= pair_result.look.to()};
    if (pair_result.verdict == ComparisonVerdict::faster)
        outcome.said = pair_result.faster_format() == 0 ? Decision::first : Decision::second;
    if (pair_result.verdict == ComparisonVerdict::same) outcome.said = Decision::same;
    return outcome;
}

Outcome by_habit(const World& world, double effect, std::uint64_t seed) {
    constexpr std::size_t repeats = 5;
    Draws draws(seed);
    const auto card = world.card(draws);
    std::vector<double> of[2];
    for (const std::size_t format : {0U, 1U})
        for (std::size_t i = 0; i < repeats; ++i)
            of[format].push_back(planted(format, effect) + card->pass(format, draws));
    const Estimate a = mean_of(of[0]), b = mean_of(of[1]);
    const double va = a.error * a.error, vb = b.error * b.error, by = a.value - b.value;
    const double freedom = (va + vb) * (va + vb) / (va * va / a.freedom + vb * vb / b.freedom);
    const double half = t_critical(0.05, freedom) * std::sqrt(va + vb);
    Outcome outcome{.passes = 2 * repeats, .covered = std::abs(by - std::log1p(effect)) <= half};
    if (std::abs(by) > half)
        outcome.said = by > 0 ? Decision::first : Decision::second;
    else if (std::abs(by) + t_critical(0.10, freedom) * std::sqrt(va + vb) < std::log1p(margin))
        outcome.said = Decision::same;
    return outcome;
}

} // namespace mediarig::comparison_worlds

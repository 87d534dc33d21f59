// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "host/measure/comparison/estimate.hpp"
#include "host/measure/comparison/families.hpp"
#include "host/measure/statistics.hpp"

namespace mediarig::measure::comparison {
namespace {

constexpr double alpha = 0.05;

std::vector<double> logarithms_of(const std::vector<double>& rates) {
    std::vector<double> values(rates.size());
    std::ranges::transform(rates, values.begin(), [](double rate) { return std::log(rate); });
    return values;
}

/// Holm's p of each pair of samples; symmetric.
class PairTable {
public:
    explicit PairTable(std::span<const std::vector<double>> rates) : size_(rates.size()) {
        std::vector<std::vector<double>> samples;
        samples.reserve(size_);
        for (const std::vector<double>& each : rates) samples.push_back(logarithms_of(each));
        std::vector<double> p;
        for (std::size_t i = 0; i < size_; ++i)
            for (std::size_t k = i + 1; k < size_; ++k)
                p.push_back(compare_samples(samples[i], samples[k], fewest_for_claim).p);
        adjusted_ = holm(p);
    }
    [[nodiscard]] bool differ(std::size_t one, std::size_t other) const {
        const auto [first, second] = std::minmax(one, other);
        return adjusted_[first * size_ - first * (first + 1) / 2 + second - first - 1] <= alpha;
    }

private:
    std::size_t size_;
    std::vector<double> adjusted_; ///< pairs (0, 1), (0, 2), …, (1, 2), …
};

} // namespace

SamplePair compare_samples(std::span<const double> first, std::span<const double> second, std::size_t fewest) {
    SamplePair pair{.half_width = HUGE_VAL, .same_half_width = HUGE_VAL};
    pair.value = *mean(first) - *mean(second);
    if (first.size() < fewest || second.size() < fewest) return pair;
    const Estimate a = mean_of(first), b = mean_of(second);
    // Rounding errors of constant figures are not scatter.
    const double va = std::max(a.error * a.error, 1e-14), vb = std::max(b.error * b.error, 1e-14);
    const double error = std::sqrt(va + vb);
    const double freedom = (va + vb) * (va + vb) / (va * va / a.freedom + vb * vb / b.freedom);
    pair.half_width = t_critical(alpha, freedom) * error;
    pair.p = t_two_sided(pair.value / error, freedom);
    pair.same_half_width = t_critical(2 * alpha, freedom) * error;
    return pair;
}

namespace {

bool permits_claims(std::span<const std::vector<double>> rates) {
    return std::ranges::all_of(rates, [](const std::vector<double>& each) { return each.size() >= fewest_for_claim; });
}

} // namespace

Ranking ranking_of(std::span<const std::vector<double>> rates) {
    if (!permits_claims(rates)) return ranking_of(rates, {});
    const PairTable pairs(rates);
    return ranking_of(rates, [&](std::size_t one, std::size_t other) { return pairs.differ(one, other); });
}

Ranking ranking_of(std::span<const std::vector<double>> rates, const SamplesDiffer& differ) {
    std::vector<std::size_t> order(rates.size());
    std::iota(order.begin(), order.end(), std::size_t{});
    std::ranges::stable_sort(order, std::greater(),
                             [&](std::size_t sample) { return mean(rates[sample]).value_or(0); });
    Ranking ranking{.groups = {}, .claims = permits_claims(rates)};
    if (!ranking.claims) {
        for (const std::size_t sample : order) ranking.groups.push_back({.members = {sample}});
        return ranking;
    }
    // A group ends where each earlier sample differs from each later one.
    RankGroup group;
    std::size_t last = 0; // place of the last sample that does not differ from one of the group
    for (std::size_t place = 0; place < order.size(); ++place) {
        for (const std::size_t other : group.members) group.alike = group.alike && !differ(other, order[place]);
        group.members.push_back(order[place]);
        for (std::size_t later = place + 1; later < order.size(); ++later)
            if (!differ(order[place], order[later])) last = std::max(last, later);
        if (last > place) continue;
        ranking.groups.push_back(std::exchange(group, {}));
    }
    return ranking;
}

} // namespace mediarig::measure::comparison

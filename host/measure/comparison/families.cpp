// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/families.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace mediarig::measure::comparison {
namespace {

/// Indices of the p-values in ascending order.
std::vector<std::size_t> ascending(std::span<const double> p) {
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
    return order;
}

} // namespace

std::vector<double> holm(std::span<const double> p) {
    const auto order = ascending(p);
    std::vector<double> adjusted(p.size());
    double before = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        before = std::max(before, std::min(1.0, p[order[rank]] * static_cast<double>(p.size() - rank)));
        adjusted[order[rank]] = before;
    }
    return adjusted;
}

std::vector<double> benjamini_hochberg(std::span<const double> p) {
    const auto order = ascending(p);
    std::vector<double> adjusted(p.size());
    double after = 1;
    for (std::size_t rank = order.size(); rank > 0; --rank) {
        after = std::min(after, p[order[rank - 1]] * static_cast<double>(p.size()) / static_cast<double>(rank));
        adjusted[order[rank - 1]] = after;
    }
    return adjusted;
}

std::vector<CellMark> map_of(std::span<const double> overall_p, std::span<const double> randomised_p, double alpha) {
    std::vector<double> larger(overall_p.begin(), overall_p.end());
    for (std::size_t i = 0; i < larger.size(); ++i) larger[i] = std::max(larger[i], randomised_p[i]);
    const auto by_holm = holm(overall_p), by_rate = benjamini_hochberg(larger);
    std::vector<CellMark> marks;
    for (std::size_t i = 0; i < overall_p.size(); ++i)
        marks.push_back({by_holm[i], by_rate[i], by_holm[i] <= alpha, by_rate[i] <= coloured_by_chance});
    return marks;
}

} // namespace mediarig::measure::comparison

// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <numeric>

#include "host/measure/counterbalance.hpp"
#include "host/plan/steps.hpp"
#include "host/workload/split_mix.hpp"

namespace mediarig::plan {
namespace {

/// Fisher and Yates, with numbers of our own: std::shuffle may differ from library to library, and a campaign that is
/// resumed elsewhere must find the same order.
void shuffle(std::vector<std::size_t>& order, workload::SplitMix& numbers) {
    for (std::size_t left = order.size(); left > 1; --left) {
        // At most 64 entries: the remainder's bias is below 2^-57.
        std::swap(order[left - 1], order[numbers.next() % left]);
    }
}

} // namespace

std::vector<std::vector<std::size_t>> format_order(const Plan& plan) {
    std::vector<std::size_t> order(plan.formats.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (plan.order.kind == OrderKind::reversed) std::reverse(order.begin(), order.end());

    workload::SplitMix numbers(plan.order.seed);
    if (plan.order.kind == OrderKind::counterbalanced) {
        shuffle(order, numbers);
        auto rows = measure::counterbalanced(order.size(), plan.repeats);
        for (std::vector<std::size_t>& row : rows)
            for (std::size_t& format : row) format = order[format];
        return rows;
    }
    std::vector<std::vector<std::size_t>> repeats;
    for (std::uint32_t repeat = 0; repeat < plan.repeats; ++repeat) {
        if (plan.order.kind == OrderKind::random_pairs) {
            if (repeat % 2 == 0)
                shuffle(order, numbers);
            else
                std::reverse(order.begin(), order.end());
        }
        repeats.push_back(order);
    }
    return repeats;
}

} // namespace mediarig::plan

// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <numeric>

#include "common/split_mix.hpp"
#include "host/measure/counterbalance.hpp"
#include "host/plan/steps.hpp"

namespace mediarig::plan {

std::vector<std::vector<std::size_t>> format_order(const Plan& plan) {
    if (plan.compare) return plan.compare->orders;
    std::vector<std::size_t> order(plan.formats.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (plan.order.kind == OrderKind::reversed) std::reverse(order.begin(), order.end());

    SplitMix numbers(plan.order.seed);
    if (plan.order.kind == OrderKind::counterbalanced) {
        measure::shuffle(order, numbers);
        auto rows = measure::counterbalanced(order.size(), plan.repeats);
        for (std::vector<std::size_t>& row : rows)
            for (std::size_t& format : row) format = order[format];
        return rows;
    }
    if (plan.order.kind == OrderKind::random_pairs) return measure::shuffled_pairs(order.size(), plan.repeats, numbers);
    return std::vector<std::vector<std::size_t>>(plan.repeats, order);
}

} // namespace mediarig::plan

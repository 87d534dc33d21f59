// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/comparison/cells.hpp"

#include <algorithm>
#include <cmath>

#include "host/measure/statistics.hpp"

namespace mediarig::comparison_campaign {
namespace {

namespace comparison = measure::comparison;

std::vector<Cell> all_cells(const Course& course) {
    std::vector<Cell> cells;
    for (const Block& block : course.blocks)
        for (const FormatPass& pass : block.passes)
            for (const CellRate& rate : pass.cells)
                if (std::find(cells.begin(), cells.end(), rate.cell) == cells.end()) cells.push_back(rate.cell);
    return cells;
}

std::optional<double> rate_in(const Block& block, std::size_t format, const Cell& cell) {
    for (const FormatPass& pass : block.passes)
        if (pass.format == format && !pass.failed)
            for (const CellRate& rate : pass.cells)
                if (rate.cell == cell) return rate.bytes_per_second;
    return std::nullopt;
}

std::optional<CellPairResult> pair_result_of(const Course& course, const comparison::PairResult& pair,
                                             const Cell& cell) {
    CellPairResult pair_result{.first = pair.first, .second = pair.second, .cell = cell};
    const comparison::Rule& rule = course.comparison.rule();
    const std::size_t budget = rule.terms().budget.value_or(comparison::most_blocks);
    std::vector<double> values, first, second;
    for (const Block& block : course.blocks) {
        if (!block.whole) continue;
        const auto a = rate_in(block, pair.first, cell), b = rate_in(block, pair.second, cell);
        if (!a || !b) continue;
        first.push_back(*a);
        second.push_back(*b);
        values.push_back(std::log(*a) - std::log(*b));
    }
    if (values.empty()) return std::nullopt;
    // Only one look at the end, at a time that the headlines determined. It uses the significance level of one look
    // among many, so that interval and p refer to the same blocks and remain valid.
    pair_result.look = rule.look(values, budget - std::min(budget, values.size()));
    pair_result.first_rate = measure::geometric_mean(first).value_or(0);
    pair_result.second_rate = measure::geometric_mean(second).value_or(0);
    pair_result.overall_p = rule.overall(pair_result.look.nominal_p);
    return pair_result;
}

} // namespace

std::vector<CellPairResult> cells_of(const Course& course) {
    std::vector<CellPairResult> pair_results;
    const std::vector<Cell> cells = all_cells(course);
    for (const comparison::PairResult& pair : course.comparison.pair_results()) {
        if (pair.headline != 0) continue;
        for (const Cell& cell : cells)
            if (auto pair_result = pair_result_of(course, pair, cell)) pair_results.push_back(std::move(*pair_result));
    }
    std::vector<double> p;
    p.reserve(pair_results.size());
    for (const CellPairResult& pair_result : pair_results) p.push_back(pair_result.overall_p);
    const auto marks = comparison::map_of(p, course.comparison.rule().terms().alpha);
    for (std::size_t i = 0; i < pair_results.size(); ++i) {
        pair_results[i].mark = marks[i];
        // As for the headlines, use the estimator that the rule selects.
        if (pair_results[i].look.call != comparison::Call::difference) pair_results[i].mark.claim = false;
    }
    return pair_results;
}

} // namespace mediarig::comparison_campaign

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/comparison/cells.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "host/measure/comparison/randomisation.hpp"
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
    // Each cell is tested once, at the end, whose time the headlines determined. The test uses the significance level
    // of one look among many, so that interval and p refer to the same blocks and remain valid.
    pair_result.look = rule.look(values, budget - std::min(budget, values.size()));
    pair_result.first_rate = measure::geometric_mean(first).value_or(0);
    pair_result.second_rate = measure::geometric_mean(second).value_or(0);
    pair_result.overall_p = rule.overall(pair_result.look.nominal_p);
    return pair_result;
}

/// Returns the logarithms of the rates of all cells in the blocks that count.
std::vector<comparison::BlockFigures> figures_of(const Course& course, const std::vector<Cell>& cells,
                                                 std::size_t formats) {
    std::vector<comparison::BlockFigures> figures;
    for (const Block& block : course.blocks) {
        if (!block.whole) continue;
        comparison::BlockFigures& of_block =
            figures.emplace_back(cells.size(), std::vector<std::optional<double>>(formats));
        for (std::size_t cell = 0; cell < cells.size(); ++cell)
            for (std::size_t format = 0; format < formats; ++format)
                if (const auto rate = rate_in(block, format, cells[cell])) of_block[cell][format] = std::log(*rate);
    }
    return figures;
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
    std::vector<double> p, alone;
    comparison::RandomisedFamily family{.formats = 0, .against_first = true};
    for (const CellPairResult& pair_result : pair_results) {
        p.push_back(pair_result.overall_p);
        // A p above its limit was not computed completely, so use 1.
        alone.push_back(pair_result.look.call == comparison::Call::difference ? pair_result.look.randomised_p : 1);
        family.formats = std::max({family.formats, pair_result.first + 1, pair_result.second + 1});
        family.against_first = family.against_first && pair_result.first == 0;
    }
    const comparison::Rule& rule = course.comparison.rule();
    family.quantum = rule.terms().quantum;
    const auto marks = comparison::map_of(p, alone, rule.terms().alpha);
    const std::vector<comparison::BlockFigures> figures = figures_of(course, cells, family.formats);
    comparison::RandomisedTests tests(figures, family);
    for (std::size_t i = 0; i < pair_results.size(); ++i) {
        CellPairResult& pair_result = pair_results[i];
        pair_result.mark = marks[i];
        // Claim a difference only if the rule does: it selects the estimator, as for the headlines.
        if (pair_result.look.call != comparison::Call::difference) pair_result.mark.claim = false;
        if (!pair_result.mark.claim) continue;
        const double limit = rule.limit_of_randomised_p(pair_result.look.blocks);
        const auto number =
            static_cast<std::size_t>(std::find(cells.begin(), cells.end(), pair_result.cell) - cells.begin());
        pair_result.randomised_p =
            tests.p_of({.first = pair_result.first, .second = pair_result.second, .number = number}, limit);
        pair_result.mark.claim = pair_result.randomised_p <= limit;
    }
    return pair_results;
}

} // namespace mediarig::comparison_campaign

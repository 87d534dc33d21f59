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

std::optional<CellStanding> standing_of(const Course& course, const comparison::Standing& pair, const Cell& cell) {
    CellStanding standing{.first = pair.first, .second = pair.second, .cell = cell};
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
    // A single look at the end, whose time the headlines chose. It uses the level of one look among many, so that
    // interval and p refer to the same blocks and remain valid.
    standing.look = rule.look(values, budget - std::min(budget, values.size()));
    standing.first_rate = measure::geometric_mean(first).value_or(0);
    standing.second_rate = measure::geometric_mean(second).value_or(0);
    standing.overall_p = rule.overall(standing.look.nominal_p);
    return standing;
}

} // namespace

std::vector<CellStanding> cells_of(const Course& course) {
    std::vector<CellStanding> standings;
    const std::vector<Cell> cells = all_cells(course);
    for (const comparison::Standing& pair : course.comparison.standings()) {
        if (pair.headline != 0) continue;
        for (const Cell& cell : cells)
            if (auto standing = standing_of(course, pair, cell)) standings.push_back(std::move(*standing));
    }
    std::vector<double> p;
    p.reserve(standings.size());
    for (const CellStanding& standing : standings) p.push_back(standing.overall_p);
    const auto marks = comparison::map_of(p, course.comparison.rule().terms().alpha);
    for (std::size_t i = 0; i < standings.size(); ++i) {
        standings[i].mark = marks[i];
        // The estimator that the rule selects decides, as for the headlines.
        if (standings[i].look.call != comparison::Call::difference) standings[i].mark.claim = false;
    }
    return standings;
}

} // namespace mediarig::comparison_campaign

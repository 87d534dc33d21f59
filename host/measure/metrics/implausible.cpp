// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/metrics/implausible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "host/measure/metrics/metrics.hpp"
#include "host/measure/plausibility.hpp"

namespace mediarig::metrics {
namespace {

using workload::CellResult;

std::string words_for(workload::Access access) {
    return fmt::format("{} {}", workload::random(access) ? "random" : "sequential",
                       workload::writes(access) ? "write" : "read");
}

void check_sweeps(const std::vector<CellResult>& cells, std::vector<CellFinding>& found) {
    std::map<std::pair<std::string, workload::Access>, std::vector<const CellResult*>> sweeps;
    for (const CellResult& cell : cells)
        if (counts(cell)) sweeps[{cell.cell.table, cell.cell.access}].push_back(&cell);

    for (auto& [key, sweep] : sweeps) {
        std::sort(sweep.begin(), sweep.end(),
                  [](const CellResult* a, const CellResult* b) { return a->cell.block < b->cell.block; });
        std::vector<measure::SweepPoint> points;
        for (const CellResult* cell : sweep) points.push_back({cell->cell.block, rate_of(cell->moved, cell->elapsed)});
        const std::string operation = words_for(key.second);
        for (const std::size_t index : measure::outside_envelope(points))
            found.push_back({sweep[index]->cell.id, measure::not_monotone(operation, points, index)});
        if (workload::random(key.second)) continue;
        if (auto finding = measure::small_blocks_too_fast(operation, points))
            found.push_back({sweep.front()->cell.id, std::move(*finding)});
    }
}

void check_series(const CellResult& cell, std::vector<CellFinding>& found) {
    std::vector<measure::RateSample> series;
    for (const workload::SecondSample& second : cell.series) series.push_back({second.length, second.moved});
    const auto change = measure::level_change(series);
    if (!change) return;
    const std::string operation = fmt::format("{} {}", words_for(cell.cell.access), name_of_block(cell.cell.block));
    found.push_back({cell.cell.id, measure::rate_unstable(operation, *change)});
}

} // namespace

std::vector<CellFinding> implausible(const std::vector<CellResult>& cells) {
    std::vector<CellFinding> found;
    check_sweeps(cells, found);
    for (const CellResult& cell : cells) check_series(cell, found);
    return found;
}

} // namespace mediarig::metrics

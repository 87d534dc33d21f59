// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/metrics/implausible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "host/measure/plausibility.hpp"
#include "host/metrics/metrics.hpp"

namespace mediarig::metrics {
namespace {

using workload::CellResult;

std::string text_for(workload::Access access) {
    return fmt::format("{} {}", workload::random(access) ? "random" : "sequential",
                       workload::writes(access) ? "write" : "read");
}

/// More cells than these are no housekeeping of the medium now and then: the pass as a whole says little by block size.
constexpr std::size_t most_named = 3;

measure::Finding whole_pass_scatters(std::size_t odd, std::size_t all) {
    return {.kind = measure::FindingKind::not_monotone,
            .severity = measure::Severity::warning,
            .detail = fmt::format("{} of {} cells do not fit between their neighbours: the pass was too short or the "
                                  "host too busy to compare block sizes by it; repeat it in full on an idle host",
                                  odd, all),
            .offset = std::nullopt};
}

/// Each by itself while they are few, else one that stands for all: twenty warnings are read by nobody.
void tell_of_odd_cells(std::vector<CellFinding> odd, std::size_t all, std::vector<CellFinding>& found) {
    if (odd.size() > most_named && odd.size() * 8 > all) {
        found.insert(found.begin(), {"", whole_pass_scatters(odd.size(), all)});
        return;
    }
    found.insert(found.begin(), std::make_move_iterator(odd.begin()), std::make_move_iterator(odd.end()));
}

void check_sweeps(const std::vector<CellResult>& cells, std::vector<CellFinding>& found) {
    std::map<std::pair<std::string, workload::Access>, std::vector<const CellResult*>> sweeps;
    for (const CellResult& cell : cells)
        if (counts(cell)) sweeps[{cell.cell.table, cell.cell.access}].push_back(&cell);

    std::vector<CellFinding> odd;
    std::size_t all = 0;
    for (auto& [key, sweep] : sweeps) {
        all += sweep.size();
        std::sort(sweep.begin(), sweep.end(),
                  [](const CellResult* a, const CellResult* b) { return a->cell.block < b->cell.block; });
        std::vector<measure::SweepPoint> points;
        for (const CellResult* cell : sweep) points.push_back({cell->cell.block, rate_of(cell->moved, cell->elapsed)});
        const std::string operation = text_for(key.second);
        for (const std::size_t index : measure::outside_envelope(points))
            odd.push_back({sweep[index]->cell.id, measure::not_monotone(operation, points, index)});
        if (workload::random(key.second)) continue;
        if (auto finding = measure::small_blocks_too_fast(operation, points))
            found.push_back({sweep.front()->cell.id, std::move(*finding)});
    }
    tell_of_odd_cells(std::move(odd), all, found);
}

void check_series(const CellResult& cell, std::vector<CellFinding>& found) {
    std::vector<measure::RateSample> series;
    for (const workload::SecondSample& second : cell.series) series.push_back({second.length, second.moved});
    const auto change = measure::level_change(series);
    if (!change) return;
    const std::string operation = fmt::format("{} {}", text_for(cell.cell.access), name_of_block(cell.cell.block));
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

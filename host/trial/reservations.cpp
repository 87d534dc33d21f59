// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/trial/reservations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/metrics/metrics.hpp"

namespace mediarig::trial {
namespace {

using measure::FindingKind;
using workload::Access, workload::CellResult;

bool tells_of_a_cache(FindingKind kind) {
    return kind == FindingKind::cache_suspected || kind == FindingKind::cache_not_dropped ||
           kind == FindingKind::impossible_rate;
}

void add(std::vector<Access>& accesses, Access access) {
    if (std::find(accesses.begin(), accesses.end(), access) == accesses.end()) accesses.push_back(access);
}

/// A finding about a pass is one about each of its operations.
void take(FormatPass& pass, const store::PassView& view, const store::FindingRecord& record) {
    const FindingKind kind = record.finding.kind;
    if (!tells_of_a_cache(kind) && kind != FindingKind::processor_bound) return;
    for (const CellResult& cell : view.cells)
        if (record.cell.empty() || record.cell == cell.cell.id)
            add(kind == FindingKind::processor_bound ? pass.processor_bound : pass.cached, cell.cell.access);
}

/// One format over all blocks that count.
struct Way {
    std::string driver;
    bool all_around_cache{true};
    std::size_t passes{}, cached{}, bound{};
};

bool holds(const std::vector<Access>& accesses, Access access) {
    return std::find(accesses.begin(), accesses.end(), access) != accesses.end();
}

Way way_of(const Course& course, std::size_t format, Access operation) {
    Way way;
    for (const Block& block : course.blocks)
        for (const FormatPass& pass : block.passes) {
            if (pass.format != format || !block.whole || !pass.whole) continue;
            ++way.passes;
            if (!pass.limited_driver.empty()) way.driver = pass.limited_driver;
            way.all_around_cache = way.all_around_cache && pass.around_cache;
            way.cached += holds(pass.cached, operation) ? 1 : 0;
            way.bound += holds(pass.processor_bound, operation) ? 1 : 0;
        }
    return way;
}

} // namespace

void take_reservations(FormatPass& pass, const std::vector<const store::PassView*>& from) {
    pass.around_cache = true;
    for (const store::PassView* view : from) {
        if (const auto& mount = view->pass.mounted)
            if (std::any_of(mount->limits.begin(), mount->limits.end(),
                            [](const measure::Finding& limit) { return limit.severity != measure::Severity::note; }))
                pass.limited_driver = mount->driver;
        for (const store::FindingRecord& record : view->findings) take(pass, *view, record);
        for (const CellResult& cell : view->cells) {
            if (!metrics::counts(cell)) continue;
            if (cell.evidence.used != workload::CachePolicy::direct) pass.around_cache = false;
            if (cell.evidence.used == workload::CachePolicy::cached) add(pass.cached, cell.cell.access);
            for (const measure::Finding& finding : cell.findings)
                take(pass, *view, {.pass = {}, .cell = cell.cell.id, .finding = finding});
        }
    }
}

std::string reservations_of(const Course& course, const std::vector<std::size_t>& formats, Access operation,
                            const std::vector<std::string>& titles) {
    std::vector<Way> ways;
    for (const std::size_t format : formats) ways.push_back(way_of(course, format, operation));
    const bool any_around =
        std::any_of(ways.begin(), ways.end(), [](const Way& way) { return way.passes > 0 && way.all_around_cache; });
    std::vector<std::string> said, of_each;
    for (std::size_t i = 0; i < ways.size(); ++i) {
        const Way& way = ways[i];
        if (way.passes == 0) continue;
        std::vector<std::string> parts;
        if (!way.driver.empty()) parts.push_back("through the driver " + way.driver);
        if (any_around && !way.all_around_cache) parts.emplace_back("without O_DIRECT");
        if (way.cached > 0)
            parts.push_back(fmt::format("answered by a cache of this host in {} of {} passes", way.cached, way.passes));
        if (way.bound > 0)
            parts.push_back(fmt::format("waiting for the processor in {} of {} passes", way.bound, way.passes));
        if (parts.empty()) continue;
        of_each.push_back(fmt::format("{}", fmt::join(parts, " and ")));
        said.push_back(fmt::format("{} {}", titles[formats[i]], of_each.back()));
    }
    if (said.empty()) return {};
    const bool alike =
        of_each.size() == formats.size() &&
        std::all_of(of_each.begin(), of_each.end(), [&](const auto& each) { return each == of_each[0]; });
    if (alike) return fmt::format("; with reservations: {} {}", formats.size() == 2 ? "both" : "all", of_each[0]);
    return fmt::format("; with reservations: {}", fmt::join(said, ", "));
}

} // namespace mediarig::trial

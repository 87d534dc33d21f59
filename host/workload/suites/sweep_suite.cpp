// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/suites/sweep_suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/base/text.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::suites {
namespace {

using workload::CellSpec, workload::JobKind;

constexpr Bytes smallest_span = 1_MiB;

Result<std::vector<const SuiteTable*>> tables_of(const Suite& suite, const SuiteRequest& request) {
    auto chosen = chosen_tables(suite, request);
    if (!chosen || request.blocks.empty() || chosen->size() == 1) return chosen;
    std::vector<std::string_view> known;
    for (const SuiteTable& table : suite.tables) known.push_back(table.name);
    return fail(Errc::bad_request, "block sizes of " + request.name +
                                       " can be chosen for one table at a time; name one of " + listed(known));
}

/// Rounds up to whole blocks, and to at least two blocks, because a sequence needs two.
Bytes whole_blocks(Bytes volume, Bytes block) {
    return std::max(align_up(volume, block), block * 2);
}

void append_cells(const SuiteTable& table, const SuiteRequest& request, std::vector<CellSpec>& cells) {
    const TransferLimits& extent = request.quick ? table.quick : table.full;
    for (const Bytes block : request.blocks.empty() ? blocks_of(table) : request.blocks) {
        for (const Access access : table.accesses) {
            const auto& wanted = request.accesses;
            if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), access) == wanted.end()) continue;
            cells.push_back(
                {.id = std::string(table.name) + "." + std::string(name_of(access)) + "." + std::to_string(block.count),
                 .table = std::string(table.name),
                 .access = access,
                 .block = block,
                 .volume = request.volume ? align_up(*request.volume, block) : whole_blocks(extent.volume, block),
                 .time_limit = request.time_limit ? request.time_limit : extent.time_limit,
                 .queue_depth = request.queue_depth.value_or(table.queue_depth)});
        }
    }
}

/// The suite's tables that have only sequential accesses.
std::string sequential_tables_of(const Suite& suite) {
    std::vector<std::string_view> names;
    for (const SuiteTable& table : suite.tables)
        if (std::ranges::none_of(table.accesses, [](Access access) { return workload::random(access); }))
            names.push_back(table.name);
    return listed(names);
}

} // namespace

Result<Bytes> span_for(const SuiteRequest& request, Bytes published, Bytes unit, Bytes available) {
    const Bytes needed = align_up(std::max(smallest_span, unit), unit);
    if (request.span) {
        const Bytes span = align_down(*request.span, unit);
        if (span.count == 0)
            return fail(Errc::bad_request,
                        fmt::format("a span of {0} is smaller than one block; choose at least {1}",
                                    size_texts(*request.span, unit).first, size_texts(*request.span, unit).second));
        if (span > available)
            return fail(Errc::bad_request,
                        fmt::format("a span of {} does not fit into {}: write less (--quick, or a smaller \"span\" in "
                                    "a plan), or use a larger medium",
                                    size_texts(span, available).first, size_texts(span, available).second));
        return span;
    }
    const Bytes half{available.count / 2};
    const Bytes span = std::max(needed, align_down(std::min(published, half), unit));
    if (available < smallest_span)
        return fail(Errc::bad_request,
                    shortage("suite " + request.name, needed, available) + ": free some space, or use a larger medium");
    if (span > available)
        return fail(Errc::bad_request,
                    shortage("suite " + request.name, span, available) + ": use a larger medium or smaller blocks");
    return span;
}

Result<JobKind> sweep_of(const Suite& suite, const SuiteRequest& request, Bytes available) {
    auto tables = tables_of(suite, request);
    if (!tables) return fail(tables.error());
    workload::SweepJob sweep;
    for (const SuiteTable* table : *tables) append_cells(*table, request, sweep.cells);
    if (sweep.cells.empty())
        return fail(Errc::bad_request,
                    "none of the accesses asked for is part of the chosen tables of " + request.name +
                        "; these tables have only sequential accesses: " + sequential_tables_of(suite));

    // Every cell uses whole blocks of its size from offset 0, so the span only has to contain the largest block.
    Bytes largest;
    for (const CellSpec& cell : sweep.cells) largest = std::max(largest, cell.block);
    auto span = span_for(request, request.quick ? suite.quick_span : suite.full_span, largest, available);
    if (!span) return fail(span.error());
    sweep.span = *span;
    return sweep;
}

} // namespace mediarig::suites

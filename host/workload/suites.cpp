// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/suites.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "host/workload/names.hpp"

namespace mediarig::workload {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr std::array all_accesses{Access::sequential_write, Access::sequential_read, Access::random_write,
                                  Access::random_read};
constexpr std::array sequential_accesses{Access::sequential_write, Access::sequential_read};
constexpr std::array random_accesses{Access::random_write, Access::random_read};

/// Block sizes first, first + step, … or first, 2 * first, … up to last.
struct Sizes {
    Bytes first;
    Bytes last;
    Bytes step; ///< 0 = doubling
};

/// How much is moved for one number.
struct Extent {
    Bytes volume;
    std::optional<nanoseconds> time_limit;
};

struct Table {
    std::string_view name;
    Sizes sizes;
    std::span<const Access> accesses; ///< in the order in which they run at each size
    Extent full;
    Extent quick;
    bool by_default;
};

struct Suite {
    std::string_view name;
    std::span<const Table> tables;
    Bytes full_span;
    Bytes quick_span;
};

// Intech's published sizes: nine rows each. The volumes and limits are ours; the original's are not published.
constexpr std::array quickbench_tables{
    Table{"standard", {4_KiB, 1024_KiB, {}}, all_accesses, {128_MiB, seconds(10)}, {4_MiB, milliseconds(300)}, true},
    Table{"large", {2_MiB, 10_MiB, 1_MiB}, sequential_accesses, {256_MiB, seconds(15)}, {20_MiB, seconds(1)}, false},
    Table{"extended",
          {20_MiB, 100_MiB, 10_MiB},
          sequential_accesses,
          {600_MiB, seconds(30)},
          {100_MiB, seconds(2)},
          false},
};
// 2 GiB in 256 KiB and 1 MiB transfers; 256 MiB in 8 KiB transfers, which are the 32 768 operations of the printed
// rates.
constexpr std::array disktester_tables{
    Table{"sequential", {256_KiB, 1_MiB, 768_KiB}, sequential_accesses, {2_GiB, {}}, {16_MiB, milliseconds(800)}, true},
    Table{"iops", {8_KiB, 8_KiB, {}}, random_accesses, {256_MiB, {}}, {8_MiB, milliseconds(800)}, true},
};
constexpr std::array suites{
    Suite{"quickbench", quickbench_tables, 1_GiB, 32_MiB},
    Suite{"disktester", disktester_tables, 2_GiB, 32_MiB},
};
constexpr std::string_view verify_name = "verify";
constexpr Bytes quick_verify_span = 64_MiB;
constexpr std::string_view capacity_name = "capacity";
constexpr Bytes quick_assumed_cache = 32_MiB;
constexpr Bytes smallest_probed = 8_MiB;
constexpr Bytes largest_assumed_cache = 16_GiB;

constexpr Bytes smallest_span = 1_MiB;
constexpr Bytes largest_block = 1_GiB;
constexpr std::uint32_t deepest_queue = 1024;

std::vector<Bytes> expand(const Sizes& sizes) {
    std::vector<Bytes> all;
    for (Bytes block = sizes.first; block <= sizes.last; block += sizes.step.count == 0 ? block : sizes.step)
        all.push_back(block);
    return all;
}

std::string listed(const std::vector<std::string_view>& names) {
    std::string text;
    for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

Result<std::vector<const Table*>> tables_of(const Suite& suite, const SuiteRequest& request) {
    std::vector<const Table*> chosen;
    std::vector<std::string_view> known;
    for (const Table& table : suite.tables) known.push_back(table.name);
    for (const std::string& wanted : request.tables)
        if (std::find(known.begin(), known.end(), wanted) == known.end())
            return fail(Errc::bad_request, "suite " + request.name + " has no table \"" + wanted.substr(0, 40) +
                                               "\"; it has " + listed(known));
    for (const Table& table : suite.tables) {
        const bool named = std::find(request.tables.begin(), request.tables.end(), table.name) != request.tables.end();
        if (named || (request.tables.empty() && table.by_default)) chosen.push_back(&table);
    }
    if (!request.blocks.empty() && chosen.size() != 1)
        return fail(Errc::bad_request, "block sizes of " + request.name +
                                           " can be chosen for one table at a time; name one of " + listed(known));
    return chosen;
}

/// Whole blocks, and at least two, so that a sequence is one.
Bytes whole_blocks(Bytes volume, Bytes block) {
    return std::max(align_up(volume, block), block * 2);
}

void append_cells(const Table& table, const SuiteRequest& request, std::vector<CellSpec>& cells) {
    const Extent& extent = request.quick ? table.quick : table.full;
    for (const Bytes block : request.blocks.empty() ? expand(table.sizes) : request.blocks) {
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
                 .queue_depth = request.queue_depth.value_or(1)});
        }
    }
}

Result<void> check_numbers(const SuiteRequest& request) {
    for (const Bytes block : request.blocks)
        if (block.count == 0 || block > largest_block)
            return fail(Errc::bad_request, "a block of " + std::to_string(block.count) +
                                               " bytes is outside 1 byte to 1 GiB; choose another size");
    for (auto block = request.blocks.begin(); block != request.blocks.end(); ++block)
        if (std::find(request.blocks.begin(), block, *block) != block)
            return fail(Errc::bad_request,
                        "block size " + std::to_string(block->count) + " is named twice; name each once");
    if (request.volume && (request.volume->count == 0 || request.volume->count >> 62 != 0))
        return fail(Errc::bad_request, "a volume of " + std::to_string(request.volume->count) +
                                           " bytes a cell makes no sense; choose at least one block");
    if (request.time_limit && request.time_limit->count() <= 0)
        return fail(Errc::bad_request, "a time limit must be longer than nothing");
    if (request.queue_depth && (*request.queue_depth == 0 || *request.queue_depth > deepest_queue))
        return fail(Errc::bad_request, "queue depth " + std::to_string(*request.queue_depth) + " is outside 1 to " +
                                           std::to_string(deepest_queue));
    if (request.queue_depth.value_or(1) > 1 && request.engine == Engine::psync)
        return fail(Errc::bad_request, "a queue depth above 1 needs the engine uring");
    if (request.payload && request.payload->kind == PayloadKind::given &&
        (request.payload->given.empty() || request.payload->given.size() > (std::size_t{1} << 20)))
        return fail(Errc::bad_request, "a given payload must have 1 byte to 1 MiB");
    return {};
}

JobSpec frame_of(const SuiteRequest& request) {
    JobSpec job;
    job.suite = request.name;
    const bool deep = request.queue_depth.value_or(1) > 1;
    job.engine = request.engine.value_or(deep ? Engine::uring : Engine::psync);
    job.cache = request.cache.value_or(job.cache);
    job.sync = request.sync.value_or(job.sync);
    job.payload = request.payload.value_or(job.payload);
    job.on_io_error = request.on_io_error.value_or(job.on_io_error);
    job.keep_raw_log = request.keep_raw_log;
    job.order_seed = request.order_seed;
    return job;
}

/// The span in whole `unit`s: what was asked for, else what the suite says, else what fits into half of the medium.
Result<Bytes> span_for(const SuiteRequest& request, Bytes published, Bytes unit, Bytes available) {
    const Bytes needed = align_up(std::max(smallest_span, unit), unit);
    if (request.span) {
        const Bytes span = align_down(*request.span, unit);
        if (span.count == 0)
            return fail(Errc::bad_request, "a span of " + std::to_string(request.span->count) +
                                               " bytes is smaller than one block; choose at least " +
                                               std::to_string(unit.count));
        if (span > available)
            return fail(Errc::bad_request, "a span of " + std::to_string(span.count) + " bytes does not fit; " +
                                               std::to_string(available.count) + " are there");
        return span;
    }
    const Bytes half{available.count / 2};
    const Bytes span = std::max(needed, align_down(std::min(published, half), unit));
    if (span > available)
        return fail(Errc::bad_request, "suite " + request.name + " needs " + std::to_string(span.count) + " bytes; " +
                                           std::to_string(available.count) +
                                           " are there: use a larger medium or smaller blocks");
    return span;
}

Result<JobSpec> expand_verify(const SuiteRequest& request, Bytes available) {
    if (!request.tables.empty() || !request.accesses.empty() || request.blocks.size() > 1 || request.volume ||
        request.time_limit || request.queue_depth.value_or(1) > 1)
        return fail(Errc::bad_request,
                    "suite verify takes a span, one block size and a payload; it has no tables, accesses, volumes, "
                    "time limits or queues");
    if (request.payload && request.payload->kind == PayloadKind::zeros)
        return fail(Errc::bad_request, "verify needs a payload that tells positions apart; zeros do not");
    JobSpec job = frame_of(request);
    VerifyJob verify;
    if (!request.blocks.empty()) verify.chunk = request.blocks.front();
    if (verify.chunk % 512_B != 0_B || verify.chunk > 64_MiB)
        return fail(Errc::bad_request, "verify needs a block of whole 512-byte sectors up to 64 MiB");
    if (request.quick || request.span) {
        auto span = span_for(request, quick_verify_span, verify.chunk, available);
        if (!span) return fail(span.error());
        verify.span = *span;
    }
    job.kind = verify;
    return job;
}

Result<JobSpec> expand_capacity(const SuiteRequest& request, Bytes available) {
    if (!request.tables.empty() || !request.accesses.empty() || !request.blocks.empty() || request.span ||
        request.volume || request.time_limit || request.queue_depth.value_or(1) > 1)
        return fail(Errc::bad_request,
                    "suite capacity takes an assumed cache and a payload's start value; it has no tables, accesses, "
                    "blocks, spans, volumes, time limits or queues");
    if (request.payload && request.payload->kind != PayloadKind::incompressible)
        return fail(Errc::bad_request, "suite capacity needs the incompressible payload, which tells positions apart");
    if (request.cache.value_or(CachePolicy::direct) != CachePolicy::direct)
        return fail(Errc::bad_request,
                    "suite capacity works with direct access only: the page cache would answer for the medium");
    ProbeJob probe;
    if (request.quick) probe.assumed_cache = quick_assumed_cache;
    if (request.assumed_cache) probe.assumed_cache = *request.assumed_cache;
    if (probe.assumed_cache > largest_assumed_cache)
        return fail(Errc::bad_request, "an assumed cache of " + std::to_string(probe.assumed_cache.count) +
                                           " bytes is more than 16 GiB; run verify instead, which writes everything");
    if (available < smallest_probed)
        return fail(Errc::bad_request, "a medium of " + std::to_string(available.count) +
                                           " bytes is too small to be probed; run verify, which takes a moment there");
    JobSpec job = frame_of(request);
    job.kind = probe;
    return job;
}

} // namespace

std::vector<std::string_view> suite_names() {
    std::vector<std::string_view> names;
    names.reserve(suites.size() + 2);
    for (const Suite& suite : suites) names.push_back(suite.name);
    names.push_back(verify_name);
    names.push_back(capacity_name);
    return names;
}

Result<JobSpec> expand(const SuiteRequest& request, Bytes available) {
    if (auto sane = check_numbers(request); !sane) return fail(sane.error());
    if (request.assumed_cache && request.name != capacity_name)
        return fail(Errc::bad_request, "an assumed cache belongs to suite capacity only");
    if (request.name == verify_name) return expand_verify(request, available);
    if (request.name == capacity_name) return expand_capacity(request, available);

    const auto suite =
        std::find_if(suites.begin(), suites.end(), [&](const Suite& s) { return s.name == request.name; });
    if (suite == suites.end())
        return fail(Errc::bad_request,
                    "no suite is called \"" + request.name.substr(0, 40) + "\"; there are " + listed(suite_names()));

    auto tables = tables_of(*suite, request);
    if (!tables) return fail(tables.error());
    SweepJob sweep;
    for (const Table* table : *tables) append_cells(*table, request, sweep.cells);
    if (sweep.cells.empty())
        return fail(Errc::bad_request, "none of the accesses asked for is part of the chosen tables of " +
                                           request.name + "; large, extended and sequential know sequential ones only");

    // Every cell works on whole blocks of its own from offset 0, so the span only has to hold the largest one.
    Bytes largest;
    for (const CellSpec& cell : sweep.cells) largest = std::max(largest, cell.block);
    auto span = span_for(request, request.quick ? suite->quick_span : suite->full_span, largest, available);
    if (!span) return fail(span.error());
    sweep.span = *span;

    JobSpec job = frame_of(request);
    job.kind = std::move(sweep);
    return job;
}

} // namespace mediarig::workload

// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "host/base/text.hpp"
#include "host/workload/suites/sweep_suite.hpp"

namespace mediarig::suites {

// Each suite is defined in the file with its name.
extern const Suite quickbench, disktester, disktester_fill, xbench, crystal, blackmagic, dd, dd_direct, ioping,
    ioping_rate, sysbench_fileio, bonnie, blogbench, stibium, enumerate, enumerate_million, sd_class, steady, payloads,
    verify, capacity, check;

namespace {

using workload::JobSpec;

constexpr std::array suites{
    &quickbench, &disktester,  &disktester_fill, &xbench, &crystal,   &blackmagic, &dd,        &dd_direct,
    &ioping,     &ioping_rate, &sysbench_fileio, &bonnie, &blogbench, &stibium,    &enumerate, &enumerate_million,
    &sd_class,   &steady,      &payloads,        &verify, &capacity,  &check};

constexpr Bytes largest_block = 1_GiB;
constexpr std::uint32_t deepest_queue = 1024;

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
                                           " bytes per cell is not valid; choose at least one block");
    if (request.time_limit && request.time_limit->count() <= 0)
        return fail(Errc::bad_request, "a time limit must be above 0");
    if (request.queue_depth && (*request.queue_depth == 0 || *request.queue_depth > deepest_queue))
        return fail(Errc::bad_request, "queue depth " + std::to_string(*request.queue_depth) + " is outside 1 to " +
                                           std::to_string(deepest_queue));
    if (request.payload && request.payload->kind == workload::PayloadKind::given &&
        (request.payload->given.empty() || request.payload->given.size() > (std::size_t{1} << 20)))
        return fail(Errc::bad_request, "a given payload must have 1 byte to 1 MiB");
    return {};
}

bool has_queue(const workload::JobKind& kind) {
    const auto* sweep = std::get_if<workload::SweepJob>(&kind);
    return sweep != nullptr &&
           std::ranges::any_of(sweep->cells, [](const workload::CellSpec& cell) { return cell.queue_depth > 1; });
}

/// Other kinds use files, or choose their places and their rate.
Result<void> check_place_and_rate(const SuiteRequest& request, const workload::JobKind& kind) {
    if (!request.from && !request.rate_limit) return {};
    const auto* const sweep = std::get_if<workload::SweepJob>(&kind);
    if (sweep == nullptr && !std::holds_alternative<workload::VerifyJob>(kind))
        return fail(Errc::bad_request,
                    "suite " + request.name + " chooses its places and its rate: it takes no start and no rate limit");
    if (!request.rate_limit) return {};
    if (*request.rate_limit == 0_B) return fail(Errc::bad_request, "a rate limit must be above 0 bytes per second");
    if (request.engine == workload::Engine::uring || has_queue(kind) || (sweep != nullptr && sweep->pace))
        return fail(Errc::bad_request,
                    "a rate limit needs the engine psync, a queue depth of 1 and a suite without idle times");
    return {};
}

JobSpec frame_of(const Suite& suite, const SuiteRequest& request, bool deep) {
    JobSpec job;
    job.suite = suite.name;
    job.suite_version = suite.version;
    job.quick = request.quick;
    job.engine = request.engine.value_or(deep ? workload::Engine::uring : workload::Engine::psync);
    job.cache = request.cache.value_or(suite.cache);
    job.sync = request.sync.value_or(suite.sync);
    job.payload = request.payload.value_or(workload::Payload{.kind = suite.payload, .given = {}});
    job.on_io_error = request.on_io_error.value_or(job.on_io_error);
    job.keep_raw_log = request.keep_raw_log;
    job.order_seed = request.order_seed;
    job.from = request.from.value_or(0_B);
    job.rate_limit = request.rate_limit.value_or(0_B);
    return job;
}

// A pause of a host between two of its ticks is a few milliseconds. A card of 2 MB/s makes few_operations of 1 MiB in 4
// s.
constexpr std::chrono::milliseconds least_quick_time{50};
constexpr std::chrono::seconds longest_quick_time{4};
constexpr int longest_quick_limits = 8; ///< for tables of large blocks

/// The byte limit of a quick cell ends too early on a fast medium, and the time limit on a slow medium.
void bound_quick_cell(workload::CellSpec& cell, std::uint64_t operations, std::chrono::nanoseconds time) {
    cell.volume = std::max(cell.volume, cell.block * operations);
    if (!cell.time_limit) return;
    cell.minimum = workload::CellMinimum{
        .operations = operations,
        .time = time,
        .longest = std::max<std::chrono::nanoseconds>(longest_quick_time, *cell.time_limit * longest_quick_limits)};
}
void bound_quick_cells(workload::JobKind& kind) {
    if (auto* const sweep = std::get_if<workload::SweepJob>(&kind))
        for (workload::CellSpec& cell : sweep->cells)
            // A write beyond the end of a new file would continue at its beginning, which the host has in its cache.
            bound_quick_cell(
                cell, workload::few_operations,
                sweep->no_layout && workload::writes(cell.access) ? std::chrono::nanoseconds{} : least_quick_time);
    if (auto* const mix = std::get_if<workload::MixJob>(&kind))
        for (workload::MixCell& cell : mix->cells) {
            const std::uint64_t all = cell.reads + cell.writes;
            const std::uint64_t rarer = cell.reads == 0 || cell.writes == 0 ? all : std::min(cell.reads, cell.writes);
            bound_quick_cell(cell.cell, workload::few_operations * ((all + rarer - 1) / rarer), least_quick_time);
        }
}

std::vector<std::string_view> names_where(bool Suite::*holds) {
    std::vector<std::string_view> names;
    for (const Suite* suite : suites)
        if (suite->*holds) names.push_back(suite->name);
    return names;
}

} // namespace

std::span<const Suite* const> all_suites() {
    return suites;
}

const Suite* find_suite(std::string_view name) {
    const auto found = std::ranges::find(suites, name, &Suite::name);
    return found == suites.end() ? nullptr : *found;
}

std::vector<std::string_view> suite_names() {
    std::vector<std::string_view> names;
    for (const Suite* suite : suites) names.push_back(suite->name);
    return names;
}

const SuiteTable* find_table(std::string_view name) {
    for (const Suite* suite : suites)
        if (const auto found = std::ranges::find(suite->tables, name, &SuiteTable::name); found != suite->tables.end())
            return &*found;
    return nullptr;
}

Shape shape_of(std::string_view table) {
    const SuiteTable* known = find_table(table);
    return known != nullptr ? known->shape : Shape::block_sizes;
}

std::vector<Bytes> blocks_of(const SuiteTable& table) {
    std::vector<Bytes> all;
    const Sizes& sizes = table.sizes;
    if (sizes.first.count == 0) return all;
    for (Bytes block = sizes.first; block <= sizes.last; block += sizes.step.count == 0 ? block : sizes.step)
        all.push_back(block);
    return all;
}

Result<JobSpec> expand(const SuiteRequest& request, Bytes available) {
    if (auto sane = check_numbers(request); !sane) return fail(sane.error());
    const Suite* suite = find_suite(request.name);
    if (suite == nullptr)
        return fail(Errc::bad_request,
                    "unknown suite \"" + request.name.substr(0, 40) + "\"; expected one of " + listed(suite_names()));
    if (request.assumed_cache && !suite->takes_assumed_cache)
        return fail(Errc::bad_request,
                    "an assumed cache belongs only to " + listed(names_where(&Suite::takes_assumed_cache)));
    if (auto sane = check_options(*suite, request); !sane) return fail(sane.error());
    if (request.from && (*request.from % 1_MiB != 0_B || *request.from >= available))
        return fail(Errc::bad_request, "a start at byte " + std::to_string(request.from->count) +
                                           " is not possible: choose whole MiB (\"16 MiB\") below the size of " +
                                           size_text(available));
    auto kind = suite->kind_of(*suite, request, available - request.from.value_or(0_B));
    if (!kind) return fail(kind.error());
    if (auto sane = check_place_and_rate(request, *kind); !sane) return fail(sane.error());
    if (request.quick && !request.volume && !request.time_limit) bound_quick_cells(*kind);
    const bool deep = has_queue(*kind);
    if (deep && request.engine == workload::Engine::psync)
        return fail(Errc::bad_request, "a queue depth above 1 needs the engine uring");
    JobSpec job = frame_of(*suite, request, deep);
    job.kind = std::move(*kind);
    // The job makes the same check; here it refuses the request before a campaign starts.
    if (job.cache == workload::CachePolicy::direct && workload::makes_files(job))
        return fail(Errc::bad_request,
                    "suite " + request.name + R"( makes files through the page cache; choose "dropped" or "cached")");
    return job;
}

bool matches_publication(const Suite& suite, const JobSpec& job) {
    return job.cache == suite.cache && job.sync == suite.sync && job.payload.kind == suite.payload;
}

std::vector<double> whole_seconds_of(const workload::CellResult& cell) {
    std::vector<double> rates;
    std::chrono::nanoseconds until{};
    for (const workload::SeriesSample& second : cell.series) {
        until += second.length;
        if (cell.sync_time.count() > 0 && until > cell.elapsed - cell.sync_time) break;
        if (second.length >= std::chrono::milliseconds(900))
            rates.push_back(rate_of(second.moved, second.length).megabytes_per_second());
    }
    return rates;
}

std::vector<std::string> less_than_published(const JobSpec& job) {
    const Suite* const suite = find_suite(job.suite);
    if (suite == nullptr) return {};
    std::vector<std::string> sentences;
    if (job.quick)
        sentences.push_back(fmt::format(
            "Quick: the protocol of {}, with far less data and time: not comparable with published figures.",
            suite->title));
    const Bytes tested = workload::test_size_of(job), meant = job.quick ? suite->quick_span : suite->full_span;
    // Spans and volumes in whole blocks and files may be slightly smaller than published.
    if (tested > 0_B && tested < meant - Bytes{meant.count / 100}) {
        const std::string title = fmt::format("{}{}", job.quick ? "a quick " : "", suite->title);
        sentences.push_back(
            job.as<workload::SweepJob>() != nullptr
                ? fmt::format("The test file was {}, that of {} is {}: caches can serve more of it.", size_text(tested),
                              title, size_text(meant))
                : fmt::format("The test files were {}, those of {} are {}: caches can serve more of them.",
                              size_text(tested), title, size_text(meant)));
    }
    return sentences;
}

} // namespace mediarig::suites

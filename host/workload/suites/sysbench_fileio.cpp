// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "host/workload/suites/sweep_suite.hpp"

namespace mediarig::suites {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using workload::CellResult, workload::MixCell, workload::MixJob, workload::MixMode;

// Defaults of sysbench 1.0: 128 files, 2 GiB in total, requests of 16 KiB for 10 s, every file flushed after 100
// requests.
constexpr std::uint32_t published_files = 128, quick_files = 8;
constexpr Bytes published_size = 2_GiB, quick_size = 32_MiB;
constexpr Bytes published_block = 16_KiB;
constexpr std::uint32_t sync_every = 100, published_backlog = 128;
constexpr double published_ratio = 1.5;

// The options of sysbench, without the dashes. Other options of sysbench are members of a request: file-total-size is
// the span, file-block-size the block, file-test-mode the table, file-extra-flags the sync level and the cache
// handling.
constexpr std::array<std::string_view, 8> options{
    "file-io-mode",   "file-async-backlog", "file-fsync-freq", "file-fsync-all",
    "file-fsync-end", "file-fsync-mode",    "file-rw-ratio",   "file-num"};

struct Mode {
    std::string_view name;
    Access access;               ///< sequential or random
    std::uint32_t reads, writes; ///< for rndrw: from the configured ratio of reads to writes
};
// seqwr is first: it creates the files that the others need.
constexpr std::array modes{
    Mode{"seqwr", Access::sequential_write, 0, 1}, Mode{"seqrewr", Access::sequential_write, 0, 1},
    Mode{"seqrd", Access::sequential_read, 1, 0},  Mode{"rndrd", Access::random_read, 1, 0},
    Mode{"rndwr", Access::random_write, 0, 1},     Mode{"rndrw", Access::random_write, 1, 1},
};
constexpr SuiteTable table_of(const Mode& mode) {
    return {.name = mode.name, .shape = Shape::named_views, .names = MetricNaming::table};
}
constexpr std::array tables{table_of(modes[0]), table_of(modes[1]), table_of(modes[2]),
                            table_of(modes[3]), table_of(modes[4]), table_of(modes[5])};

constexpr Metric rate_of(std::string_view mode, Access access) {
    return {.table = mode, .access = access, .block = {}, .value = Value::mb_per_s};
}
constexpr std::array headlines{
    Headline{rate_of("seqwr", Access::sequential_write), "seqwr, MB/s", 1},
    Headline{rate_of("seqrd", Access::sequential_read), "seqrd, MB/s", 1},
    Headline{rate_of("rndrw", Access::random_read), "rndrw read, MB/s", 2},
    Headline{rate_of("rndrw", Access::random_write), "rndrw write, MB/s", 2},
};

/// Applies the options of sysbench to a mix.
Result<void> take_options(const SuiteRequest& request, MixJob& mix) {
    const auto mode = word_option(request, "file-io-mode", {"sync", "async", "mmap"});
    const auto all = word_option(request, "file-fsync-all", {"off", "on"});
    const auto end = word_option(request, "file-fsync-end", {"on", "off"});
    const auto call = word_option(request, "file-fsync-mode", {"fsync", "fdatasync"});
    for (const auto* word : {&mode, &all, &end, &call})
        if (!*word) return fail(word->error());
    const auto backlog = count_option(request, "file-async-backlog", published_backlog, 1, 4096);
    const auto every = count_option(request, "file-fsync-freq", sync_every, 0, 1'000'000'000);
    const auto files = count_option(request, "file-num", mix.files, 1, 4096);
    for (const auto* number : {&backlog, &every, &files})
        if (!*number) return fail(number->error());
    mix.mode = *mode == "sync" ? MixMode::sync : *mode == "async" ? MixMode::async : MixMode::mmap;
    mix.backlog = *backlog;
    mix.files = *files;
    mix.syncs_each_write = *all == "on";
    // Like sysbench: if each write is flushed, no data is left to flush during and after the requests.
    mix.sync_every = mix.syncs_each_write ? 0 : *every;
    mix.leaves_last_sync_out = *end == "off" || mix.syncs_each_write;
    mix.syncs_attributes = *call == "fsync";
    return {};
}

Result<workload::JobKind> fileio_of(const Suite& suite, const SuiteRequest& request, Bytes available) {
    if (auto sane =
            check_options_used(suite, request, {Option::tables, Option::blocks, Option::span, Option::time_limit});
        !sane)
        return fail(sane.error());
    if (request.blocks.size() > 1)
        return fail(Errc::bad_request, "suite sysbench-fileio takes one block size for all modes");
    auto chosen = chosen_tables(suite, request);
    if (!chosen) return fail(chosen.error());
    MixJob mix{.files = request.quick ? quick_files : published_files,
               .file_size = {},
               .cells = {},
               .sync_every = 0,
               .rounds = {}};
    if (auto sane = take_options(request, mix); !sane) return fail(sane.error());
    // Reads per write, in thousandths.
    const auto ratio = number_option(request, "file-rw-ratio", published_ratio, 0.001, 1000);
    if (!ratio) return fail(ratio.error());
    const std::uint32_t parts = std::gcd(static_cast<std::uint32_t>(std::lround(*ratio * 1000)), 1000u);
    const std::uint32_t reads = static_cast<std::uint32_t>(std::lround(*ratio * 1000)) / parts, writes = 1000 / parts;
    const Bytes block = request.blocks.empty() ? published_block : request.blocks.front();
    auto size = span_for(request, request.quick ? quick_size : published_size, block * mix.files, available);
    if (!size) return fail(size.error());
    mix.file_size = Bytes{size->count / mix.files};
    const std::chrono::nanoseconds published_time = seconds(10), quick_time = milliseconds(500);
    const auto time = request.time_limit.value_or(request.quick ? quick_time : published_time);
    // Sysbench does not limit the amount of data. Here the limit is twice the size of the files in 10 s, and
    // proportionally more for a longer time.
    const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(2, 2 * (time / published_time)));
    if (request.sync == workload::SyncLevel::none) mix.sync_every = 0;
    for (const SuiteTable* table : *chosen) {
        const Mode& mode = *std::ranges::find(modes, table->name, &Mode::name);
        mix.cells.push_back({.cell = {.id = fmt::format("{}.{}", mode.name, block.count),
                                      .table = std::string(mode.name),
                                      .access = mode.access,
                                      .block = block,
                                      .volume = *size * most,
                                      .time_limit = time,
                                      .queue_depth = 1},
                             .reads = mode.name == "rndrw" ? reads : mode.reads,
                             .writes = mode.name == "rndrw" ? writes : mode.writes,
                             .on_new_files = mode.name == "seqwr"});
    }
    return mix;
}

/// Sysbench prints two decimals; with two decimals in each column a row would be wider than a terminal.
std::string in_four_digits(double number) {
    return fmt::format("{:.{}f}", number, number < 100 ? 2 : number < 1000 ? 1 : 0);
}

std::optional<View> file_operations(const DeviceResults& measured) {
    if (measured.passes.empty()) return std::nullopt;
    View view{.title = "sysbench fileio",
              .columns = {"read/s", "write/s", "fsync/s", "R MiB/s", "W MiB/s", "min", "avg", "95 %", "max"},
              .rows = {},
              .notes = {}};
    for (const Mode& mode : modes) {
        std::array<double, 5> numbers{};
        measure::Histogram latency;
        for (const CellResult& cell : measured.passes.back()) {
            if (cell.cell.table != mode.name || cell.elapsed.count() <= 0 || cell.operations == 0) continue;
            const bool writing = workload::writes(cell.cell.access);
            numbers[writing ? 1 : 0] = operations_per_second(cell.operations, cell.elapsed);
            numbers[writing ? 4 : 3] = rate_of(cell.moved, cell.elapsed).mebibytes_per_second();
            numbers[2] += operations_per_second(cell.evidence.sync_calls, cell.elapsed);
            latency.merge(cell.latency);
        }
        if (latency.empty()) continue;
        View::Row row{std::string(mode.name), {}};
        for (const double number : numbers) row.cells.push_back(in_four_digits(number));
        for (const auto time : {latency.min(), *latency.mean(), *latency.quantile(0.95), latency.max()})
            row.cells.push_back(in_four_digits(static_cast<double>(time.count()) / 1e6));
        view.rows.push_back(std::move(row));
    }
    if (view.rows.empty()) return std::nullopt;
    view.notes.emplace_back(
        "MiB/s: 2^20 bytes per second, as the original prints them. Latencies in ms, of reads and writes; "
        "the original counts its fsyncs among them.");
    return view;
}

} // namespace

extern const Suite sysbench_fileio;
constexpr Suite sysbench_fileio{.name = "sysbench-fileio",
                                .title = "sysbench fileio",
                                .version = 3,
                                .tables = tables,
                                .headlines = headlines,
                                .full_span = published_size,
                                .quick_span = quick_size,
                                .options = options,
                                .kind_of = fileio_of,
                                .cache = workload::CachePolicy::dropped,
                                .view = file_operations};

} // namespace mediarig::suites

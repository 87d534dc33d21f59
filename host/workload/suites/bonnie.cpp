// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "host/workload/suites/sweep_suite.hpp"

namespace mediarig::suites {
namespace {

using workload::CellResult, workload::FileOrder, workload::FilesJob, workload::FileWork;

// Bonnie++ 2.00: chunks of 8 KiB in files of 1 GiB; 3 MiB of single bytes per call in a separate file; an fsync at the
// end of each file; 8192 seeks, of which one in ten writes back; 16 x 1024 empty files created, stat'ed and removed
// without any sync: first in the order of their folder, then, with names that start randomly, in random order.
constexpr Bytes chunk = 8_KiB, piece = 1_GiB;
constexpr Bytes published_size = 16_GiB, quick_size = 32_MiB;
constexpr Bytes bytes_one_by_one = 3_MiB, quick_bytes = 32_KiB;
constexpr std::uint64_t seeks = 8192, quick_seeks = 512;
constexpr std::uint32_t seekers = 5;
constexpr std::uint32_t small_files = 16 * 1024, quick_small_files = 256;

struct Phase {
    std::string_view table;
    std::string_view label;
    Access access;
    FileWork work;
    std::uint32_t set; ///< 0: single bytes, 1: the data, 2: empty files, 3: empty files in random order
    FileOrder order;
    Bytes block;
};
constexpr Bytes no_block{1};
// The phases in execution order. A phase has the name of its column in the CSV of Bonnie++.
constexpr std::array phases{
    Phase{"putc", "put char", Access::sequential_write, FileWork::write, 0, FileOrder::by_number, no_block},
    Phase{"put_block", "put block", Access::sequential_write, FileWork::write, 1, FileOrder::by_number, chunk},
    Phase{"rewrite", "rewrite", Access::sequential_write, FileWork::rewrite, 1, FileOrder::by_number, chunk},
    Phase{"getc", "get char", Access::sequential_read, FileWork::read, 0, FileOrder::by_number, no_block},
    Phase{"get_block", "get block", Access::sequential_read, FileWork::read, 1, FileOrder::by_number, chunk},
    Phase{"seeks", "seeks", Access::random_read, FileWork::seek, 1, FileOrder::by_number, chunk},
    Phase{"seq_create", "sequential create", Access::sequential_write, FileWork::create, 2, FileOrder::by_number,
          no_block},
    Phase{"seq_stat", "sequential stat", Access::sequential_read, FileWork::stat, 2, FileOrder::as_listed, no_block},
    Phase{"seq_del", "sequential delete", Access::sequential_write, FileWork::remove, 2, FileOrder::as_listed,
          no_block},
    Phase{"ran_create", "random create", Access::random_write, FileWork::create, 3, FileOrder::by_number, no_block},
    Phase{"ran_stat", "random stat", Access::random_read, FileWork::stat, 3, FileOrder::random, no_block},
    Phase{"ran_del", "random delete", Access::random_write, FileWork::remove, 3, FileOrder::random, no_block},
};
constexpr std::size_t data_phases = 6; // the first phases; the other phases count files

constexpr auto tables = [] {
    std::array<SuiteTable, phases.size()> made{};
    for (std::size_t i = 0; i < phases.size(); ++i)
        made[i] = {.name = phases[i].table, .shape = Shape::named_views, .names = MetricNaming::table};
    return made;
}();
constexpr Metric metric_of(std::size_t phase, Value value) {
    return {.table = phases[phase].table, .access = phases[phase].access, .block = {}, .value = value};
}
constexpr std::array headlines{
    Headline{metric_of(1, Value::mb_per_s), "block write, MB/s", 1},
    Headline{metric_of(4, Value::mb_per_s), "block read, MB/s", 1},
    Headline{metric_of(5, Value::iops), "seeks/s", 0},
    Headline{metric_of(6, Value::iops), "files made/s", 0},
};

Result<workload::JobKind> phases_of(const Suite& suite, const SuiteRequest& request, Bytes available) {
    if (auto sane = check_options_used(suite, request, {Option::span}); !sane) return fail(sane.error());
    auto size = span_for(request, request.quick ? quick_size : published_size, 1_MiB, available);
    if (!size) return fail(size.error());
    FilesJob job;
    const Bytes single = request.quick ? quick_bytes : bytes_one_by_one;
    job.sets.push_back({.files = 1, .sizes = {single}, .law = {}, .first = 0, .folders = {}});
    const auto pieces = static_cast<std::uint32_t>((size->count + piece.count - 1) / piece.count);
    std::vector<Bytes> sizes(pieces, piece);
    sizes.back() = *size - piece * (pieces - 1);
    job.sets.push_back({.files = pieces, .sizes = sizes, .law = {}, .first = 1, .folders = {}});
    for (const auto names : {workload::FileNames::number_first, workload::FileNames::number_last})
        job.sets.push_back({.files = request.quick ? quick_small_files : small_files,
                            .sizes = {},
                            .law = {},
                            .first = 0,
                            .folders = {1},
                            .names = names});
    const Bytes volume_of_set[] = {single, *size, {}, {}};
    for (const Phase& phase : phases)
        job.steps.push_back(
            {.cell = {.id = std::string(phase.table),
                      .table = std::string(phase.table),
                      .access = phase.access,
                      .block = phase.block,
                      .volume = phase.work == FileWork::seek ? chunk * (request.quick ? quick_seeks : seeks)
                                                             : volume_of_set[phase.set],
                      .time_limit = {},
                      .queue_depth = 1},
             .work = phase.work,
             .set = phase.set,
             .order = phase.order,
             .part = 1,
             .by_size = false,
             .from = 0,
             .seekers = phase.work == FileWork::seek ? seekers : 1,
             .flush = phase.set < 2 ? workload::FileFlush::attributes : workload::FileFlush::nothing});
    return job;
}

const CellResult* cell_of(const DeviceResults& measured, std::string_view table) {
    if (measured.passes.empty()) return nullptr;
    for (const CellResult& cell : measured.passes.back())
        if (cell.cell.table == table && cell.elapsed.count() > 0 && cell.operations > 0) return &cell;
    return nullptr;
}

/// Bonnie++ prints "+++++" for a shorter time: too short to be reliable, at most a lower bound.
constexpr std::chrono::milliseconds least_trusted_time{500};
bool censored(const CellResult& cell) {
    return cell.elapsed < least_trusted_time;
}

/// KiB/s for the phases with data, seeks or files per second for the others.
double figure_of(const CellResult& cell, std::size_t phase) {
    if (phase < data_phases - 1) return rate_of(cell.moved, cell.elapsed).bytes_per_second / 1024;
    return operations_per_second(cell.operations, cell.elapsed);
}

std::string latency_text(std::chrono::nanoseconds longest) {
    const auto us = longest.count() / 1000;
    if (us > 99'999'999) return fmt::format("{}s", us / 1'000'000);
    return us > 99'999 ? fmt::format("{}ms", us / 1000) : fmt::format("{}us", us);
}

/// Percentage of the time of a phase in which its threads had a processor.
std::string share_of_processor(const CellResult& cell) {
    if (!cell.processor_time) return "";
    return fmt::format("{}", static_cast<int>(100.0 * static_cast<double>(cell.processor_time->count()) /
                                              static_cast<double>(cell.elapsed.count())));
}

/// Truncates a figure as Bonnie++ does; a small number of seeks has one decimal.
std::string figure_text(const CellResult& cell, std::size_t phase) {
    const double figure = figure_of(cell, phase);
    if (phase == data_phases - 1 && figure < 1000) return fmt::format("{:.1f}", figure);
    return fmt::format("{}", static_cast<std::uint64_t>(figure));
}

/// A figure and its processor share, as columns of the CSV of Bonnie++.
std::string csv_figure(const DeviceResults& measured, std::size_t phase) {
    const CellResult* const cell = cell_of(measured, phases[phase].table);
    if (cell == nullptr) return ",";
    return censored(*cell) ? "+++++,+++" : figure_text(*cell, phase) + "," + share_of_processor(*cell);
}

/// A line of Bonnie++'s CSV, format 1.98.
std::string csv_line(const DeviceResults& measured) {
    const CellResult *const data = cell_of(measured, "put_block"), *const sought = cell_of(measured, "seeks");
    std::string line = fmt::format("1.98,mediarig,medium,1,,{},,{},{}",
                                   data != nullptr ? fmt::format("{}M", data->cell.volume.count >> 20) : "",
                                   sought != nullptr ? std::to_string(sought->cell.volume / chunk) : "", seekers);
    for (std::size_t phase = 0; phase < data_phases; ++phase) line += "," + csv_figure(measured, phase);
    const CellResult* const made = cell_of(measured, "seq_create");
    line += fmt::format(",{},,,,",
                        made != nullptr ? fmt::format("{:g}", static_cast<double>(made->operations) / 1024) : "");
    for (std::size_t phase = data_phases; phase < phases.size(); ++phase) line += "," + csv_figure(measured, phase);
    for (const Phase& phase : phases) {
        const CellResult* const cell = cell_of(measured, phase.table);
        line += "," + (cell != nullptr ? latency_text(cell->latency.max()) : std::string());
    }
    return line;
}

std::optional<View> columns_of(const DeviceResults& measured) {
    View view{
        .title = "Bonnie++",
        .columns = {"KiB/s, others: /s", "%CPU", "longest, us"},
        .rows = {},
        .notes = {
            "KiB/s, 2^10 bytes per second, which Bonnie++ prints as K/sec; seeks and files per second. +++++ took "
            "less than half a second: a lower bound at most, as in the original. %CPU: share of one processor, "
            "with payload generation. Longest: of a single operation."}};
    for (std::size_t phase = 0; phase < phases.size(); ++phase) {
        const CellResult* const cell = cell_of(measured, phases[phase].table);
        if (cell == nullptr) continue;
        view.rows.push_back({std::string(phases[phase].label),
                             {censored(*cell) ? "+++++" : figure_text(*cell, phase),
                              censored(*cell) ? "+++" : share_of_processor(*cell),
                              fmt::format("{}", cell->latency.max().count() / 1000)}});
    }
    if (view.rows.empty()) return std::nullopt;
    view.notes.push_back("CSV: " + csv_line(measured));
    return view;
}

} // namespace

extern const Suite bonnie;
constexpr Suite bonnie{.name = "bonnie",
                       .title = "Bonnie++",
                       .version = 3,
                       .tables = tables,
                       .headlines = headlines,
                       .full_span = published_size,
                       .quick_span = quick_size,
                       .kind_of = phases_of,
                       .cache = workload::CachePolicy::dropped,
                       .least_trusted_time = least_trusted_time,
                       .view = columns_of};

} // namespace mediarig::suites

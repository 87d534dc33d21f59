// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "host/base/text.hpp"
#include "host/workload/suites/sweep_suite.hpp"

namespace mediarig::suites {
namespace {

using std::chrono::milliseconds;

// 2 GiB in 256 KiB and 1 MiB transfers; 256 MiB in 8 KiB transfers, which are the 32 768 operations of the printed
// rates.
constexpr std::array tables{
    SuiteTable{.name = "sequential",
               .shape = Shape::transfer_sizes,
               .names = MetricNaming::block,
               .sizes = {256_KiB, 1_MiB, 768_KiB},
               .accesses = sequential_accesses,
               .full = {2_GiB, {}},
               .quick = {16_MiB, milliseconds(800)}},
    SuiteTable{.name = "iops",
               .shape = Shape::operations,
               .names = MetricNaming::table,
               .sizes = {8_KiB, 8_KiB, {}},
               .accesses = random_accesses,
               .full = {256_MiB, {}},
               .quick = {8_MiB, milliseconds(800)},
               .shows_latencies = true},
};

// "Fill volume": writes the whole span once from start to end, then reads it.
constexpr std::array fill_tables{
    SuiteTable{.name = "fill",
               .shape = Shape::named_views,
               .names = MetricNaming::table,
               .sizes = {1_MiB, 1_MiB, {}},
               .accesses = sequential_accesses},
};
constexpr Bytes quick_fill = 64_MiB;
constexpr Bytes smallest_fill = 20_MiB; // one block for each row

constexpr Metric rate(Access access, Bytes block) {
    return {.table = "sequential", .access = access, .block = block, .value = Value::mb_per_s};
}
constexpr Metric operations(Access access) {
    return {.table = "iops", .access = access, .block = {}, .value = Value::ops_per_s};
}
constexpr std::array headlines{
    Headline{rate(Access::sequential_write, 1_MiB), "sequential write 1024 KB, MB/s", 1},
    Headline{rate(Access::sequential_read, 1_MiB), "sequential read 1024 KB, MB/s", 1},
    Headline{operations(Access::random_write), "random write, ops/s", 0},
    Headline{operations(Access::random_read), "random read, ops/s", 0},
};
constexpr std::array sequential_bars{
    Bar{rate(Access::sequential_write, 256_KiB), "Write 256 KB"},
    Bar{rate(Access::sequential_read, 256_KiB), "Read 256 KB"},
    Bar{rate(Access::sequential_write, 1_MiB), "Write 1 MB"},
    Bar{rate(Access::sequential_read, 1_MiB), "Read 1 MB"},
};
constexpr std::array operation_bars{
    Bar{operations(Access::random_write), "Random write"},
    Bar{operations(Access::random_read), "Random read"},
};
constexpr std::array charts{
    BarChart{"formats-sequential", "DiskTester sequential", "MB/s", sequential_bars},
    BarChart{"formats-iops", "DiskTester IOPS", "ops/s", operation_bars},
};

constexpr Metric fill_rate(Access access) {
    return {.table = "fill", .access = access, .block = {}, .value = Value::mb_per_s};
}
constexpr std::array fill_headlines{
    Headline{fill_rate(Access::sequential_write), "fill, MB/s", 1},
    Headline{fill_rate(Access::sequential_read), "read all, MB/s", 1},
};

/// A file system needs some of its space for metadata.
Bytes most_filled(Bytes available) {
    return align_down(available - Bytes{available.count / 64}, 1_MiB);
}
/// Smallest space for which most_filled() returns smallest_fill.
constexpr Bytes smallest_filled{smallest_fill.count + (smallest_fill.count - 1) / 63};

Result<workload::JobKind> fill_of(const Suite& suite, const SuiteRequest& request, Bytes available) {
    if (request.volume || request.time_limit || !request.blocks.empty())
        return fail(Errc::bad_request,
                    "suite disktester-fill writes its span once; it has no volumes, time limits or "
                    "blocks: choose a span");
    SuiteRequest whole = request;
    if (!whole.span) whole.span = request.quick ? std::min(quick_fill, most_filled(available)) : most_filled(available);
    whole.span = align_down(*whole.span, 1_MiB);
    if (*whole.span < smallest_fill)
        return fail(Errc::bad_request,
                    shortage("suite disktester-fill", smallest_filled, available) + ": use a larger medium or span");
    whole.volume = whole.span;
    auto kind = sweep_of(suite, whole, available);
    if (!kind) return kind;
    auto& sweep = std::get<workload::SweepJob>(*kind);
    sweep.no_layout = sweep.cells.front().access == Access::sequential_write;
    return kind;
}

/// Computes the rate between two offsets from the seconds of a cell that went through its span once. Returns nothing if
/// one of these seconds covers more than the range, because its rate would include the neighbours.
std::optional<Rate> rate_between(std::span<const workload::SeriesSample> series, Bytes from, Bytes to,
                                 bool to_the_end) {
    double time = 0;
    Bytes at;
    for (const workload::SeriesSample& second : series) {
        const Bytes end = at + second.moved;
        const Bytes low = std::max(at, from), high = std::min(end, to);
        if (low < high && second.moved > to - from) return std::nullopt;
        if (low < high)
            time += static_cast<double>(second.length.count()) * static_cast<double>((high - low).count) /
                    static_cast<double>(second.moved.count);
        else if (second.moved == 0_B && from <= at && (at < to || to_the_end))
            time += static_cast<double>(second.length.count());
        at = end;
    }
    if (time <= 0) return std::nullopt;
    return Rate{static_cast<double>((to - from).count) * 1e9 / time};
}

std::optional<View> rate_by_position(const DeviceResults& measured) {
    constexpr std::uint64_t rows = 20;
    if (measured.passes.empty()) return std::nullopt;
    View view{.title = "Fill volume: rate by position", .columns = {}, .rows = {}, .notes = {}};
    for (std::uint64_t row = 0; row < rows; ++row)
        view.rows.push_back({fmt::format("{} to {} %", row * 100 / rows, (row + 1) * 100 / rows), {}});
    for (const workload::CellResult& cell : measured.passes.back()) {
        if (cell.moved < smallest_fill || cell.cell.table != "fill") continue;
        const bool writing = workload::writes(cell.cell.access);
        view.columns.emplace_back(writing ? "write MB/s" : "read MB/s");
        std::optional<double> slowest, fastest;
        bool all = true;
        for (std::uint64_t row = 0; row < rows; ++row) {
            const bool last = row + 1 == rows;
            const auto rate = rate_between(cell.series, {cell.moved.count / rows * row},
                                           last ? cell.moved : Bytes{cell.moved.count / rows * (row + 1)}, last);
            if (!rate) {
                all = false;
                view.rows[row].cells.emplace_back("–");
                continue;
            }
            const double megabytes = rate->megabytes_per_second();
            slowest = std::min(slowest.value_or(megabytes), megabytes);
            fastest = std::max(fastest.value_or(megabytes), megabytes);
            view.rows[row].cells.push_back(fmt::format("{:.1f}", megabytes));
        }
        const std::string_view name = writing ? "Write" : "Read";
        view.notes.push_back(
            all ? fmt::format("{}: slowest part {:.1f}, fastest {:.1f} MB/s.", name, *slowest, *fastest)
                : fmt::format("{}: a part without a figure took less than a second, and cannot be distinguished from "
                              "its neighbours; fill a larger span.",
                              name));
    }
    if (view.columns.empty()) return std::nullopt;
    view.notes.emplace_back("MB/s: 10^6 bytes per second, from samples of one second each.");
    return view;
}

} // namespace

extern const Suite disktester, disktester_fill;
constexpr Suite disktester{
    .name = "disktester",
    .title = "DiskTester",
    .tables = tables,
    .headlines = headlines,
    .charts = charts,
    .full_span = 2_GiB,
    .quick_span = 32_MiB,
    .kind_of = sweep_of,
    .megabyte = "MB/s: 10^6 bytes per second. DiskTester counts 2^20: divide by 1.049 to compare with its figures."};

constexpr Suite disktester_fill{.name = "disktester-fill",
                                .title = "DiskTester, fill volume",
                                .tables = fill_tables,
                                .headlines = fill_headlines,
                                .kind_of = fill_of,
                                .view = rate_by_position};

} // namespace mediarig::suites

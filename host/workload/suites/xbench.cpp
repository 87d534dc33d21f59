// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/suites/originals.hpp"

#include <fmt/format.h>

#include "host/measure/statistics.hpp"
#include "host/workload/suites/sweep_suite.hpp"

namespace mediarig::suites {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The parts of Xbench are published, but not their amounts of data.
constexpr std::array tables{
    SuiteTable{.name = "xbench",
               .shape = Shape::named_views,
               .names = MetricNaming::table_and_block,
               .sizes = {4_KiB, 256_KiB, 252_KiB},
               .accesses = all_accesses,
               .full = {64_MiB, seconds(10)},
               .quick = {4_MiB, milliseconds(500)},
               .shows_latencies = true},
};

constexpr Metric rate_of(const XbenchPart& part) {
    return {.table = "xbench", .access = part.access, .block = part.block, .value = Value::mb_per_s};
}
constexpr std::array headlines{
    Headline{rate_of(xbench_parts[1]), "sequential write 256 KB, MB/s", 1},
    Headline{rate_of(xbench_parts[3]), "sequential read 256 KB, MB/s", 1},
    Headline{rate_of(xbench_parts[4]), "random write 4 KB, MB/s", 2},
    Headline{rate_of(xbench_parts[6]), "random read 4 KB, MB/s", 2},
};

/// Adds the harmonic mean of some parts, and adds to the row of each part its share of the sum of reciprocals.
void add_total(View& view, std::string label, std::span<const double> scores, std::span<View::Row> rows) {
    const auto total = measure::harmonic_mean(scores);
    if (!total) return;
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i].cells[2] = fmt::format("{:.0f} %", 100 * *total / (scores[i] * static_cast<double>(scores.size())));
    view.rows.push_back({std::move(label), {fmt::format("{:.2f}", *total), "", ""}});
}

/// Uses the access recorded in the cells, because the file system may have refused direct I/O.
std::string_view way_of_these(const DeviceResults& measured) {
    bool around = false, through = false, read_from_it = false;
    for (const auto& pass : measured.passes)
        for (const workload::CellResult& cell : pass) {
            const workload::CachePolicy used = cell.evidence.used;
            if (!workload::writes(cell.cell.access))
                read_from_it = read_from_it || used == workload::CachePolicy::cached;
            else
                (used == workload::CachePolicy::direct ? around : through) = true;
        }
    if (!through) return "did not";
    if (around) return "partly used the cache";
    return read_from_it ? "also used the cache, as did the reads" : "also used the cache";
}

std::optional<View> scores(const DeviceResults& measured) {
    View view{.title = "Xbench scores", .columns = {"score", "MiB/s", "share"}, .rows = {}, .notes = {}};
    std::vector<double> all;
    for (const XbenchPart& part : xbench_parts) {
        const auto rate = measured.value_of(rate_of(part));
        if (!rate || *rate <= 0) continue;
        const double binary = Rate{*rate * 1e6}.mebibytes_per_second();
        all.push_back(100 * binary / part.reference);
        view.rows.push_back(
            {std::string(part.label), {fmt::format("{:.2f}", all.back()), fmt::format("{:.2f}", binary), ""}});
    }
    if (all.empty()) return std::nullopt;
    if (all.size() == xbench_parts.size()) {
        constexpr std::size_t section = xbench_parts.size() / 2;
        view.rows.reserve(all.size() + 3); // the spans refer to the rows
        const std::span<const double> scores = all;
        const std::span<View::Row> parts = view.rows;
        add_total(view, "Sequential", scores.first(section), parts.first(section));
        add_total(view, "Random", scores.last(section), parts.last(section));
        add_total(view, "Disk Test", scores, {});
        view.notes.emplace_back("Share: of the sum of reciprocals that gives the score of its section.");
    }
    view.notes.emplace_back(
        "MiB/s: 2^20 bytes per second, which Xbench prints as MB/sec (inferred: on one card it "
        "agrees within 0.5 % with DiskTester, whose MB that is).");
    view.notes.push_back(
        fmt::format("The scores use reference values that were inferred from published tables. The original's "
                    "writes went through the host's cache; these {}.",
                    way_of_these(measured)));
    return view;
}

} // namespace

extern const Suite xbench;
constexpr Suite xbench{.name = "xbench",
                       .title = "Xbench",
                       .version = 2,
                       .tables = tables,
                       .headlines = headlines,
                       .full_span = 256_MiB,
                       .quick_span = 32_MiB,
                       .kind_of = sweep_of,
                       .view = scores};

} // namespace mediarig::suites

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

/// Adds the total score, e.g. "36.23", and a note about the part with the largest share.
void add_total(View& view, std::string label, const std::vector<double>& scores, std::size_t first) {
    const auto total = measure::harmonic_mean(scores);
    if (!total) return;
    double sum = 0, most = 0;
    std::size_t worst = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        sum += 1 / scores[i];
        if (1 / scores[i] <= most) continue;
        most = 1 / scores[i];
        worst = i;
    }
    view.notes.push_back(fmt::format("{}: {} alone makes {:.0f} % of the score's harmonic sum.", label,
                                     xbench_parts[first + worst].label, 100 * most / sum));
    view.rows.push_back({std::move(label), {fmt::format("{:.2f}", *total), ""}});
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
    View view{.title = "Xbench scores", .columns = {"score", "MB/s"}, .rows = {}, .notes = {}};
    std::vector<double> all;
    for (const XbenchPart& part : xbench_parts) {
        const auto rate = measured.value_of(rate_of(part));
        if (!rate || *rate <= 0) continue;
        const double binary = Rate{*rate * 1e6}.mebibytes_per_second();
        all.push_back(100 * binary / part.reference);
        view.rows.push_back(
            {std::string(part.label), {fmt::format("{:.2f}", all.back()), fmt::format("{:.2f}", binary)}});
    }
    if (all.empty()) return std::nullopt;
    if (all.size() == xbench_parts.size()) {
        constexpr std::size_t section = xbench_parts.size() / 2;
        add_total(view, "Sequential", {all.begin(), all.begin() + section}, 0);
        add_total(view, "Random", {all.begin() + section, all.end()}, section);
        add_total(view, "Disk Test", all, 0);
    }
    view.notes.emplace_back(
        "MB/s as Xbench counts it: 1 MB = 2^20 bytes (inferred: on one card it agrees within 0.5 % with DiskTester, "
        "whose MB that is).");
    view.notes.push_back(
        fmt::format("Scores by references inferred from published tables. The original's writes went "
                    "through the host's cache; these {}.",
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

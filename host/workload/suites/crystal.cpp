// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "host/workload/suites/sweep_suite.hpp"

namespace mediarig::suites {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The default profile of CrystalDiskMark and KDiskMark: a file of 1 GiB, 5 s per number.
constexpr TransferLimits full{1_GiB, seconds(5)};
constexpr TransferLimits quick{16_MiB, milliseconds(500)};

constexpr SuiteTable table(std::string_view name, Bytes block, std::span<const Access> accesses,
                           std::uint32_t queue_depth) {
    return {.name = name,
            .shape = Shape::named_views,
            .names = MetricNaming::table,
            .sizes = {block, block, {}},
            .accesses = accesses,
            .full = full,
            .quick = quick,
            .queue_depth = queue_depth,
            .shows_latencies = block == 4_KiB};
}
constexpr std::array tables{
    table("seq1m_q8t1", 1_MiB, sequential_accesses, 8),
    table("seq1m_q1t1", 1_MiB, sequential_accesses, 1),
    table("rnd4k_q32t1", 4_KiB, random_accesses, 32),
    table("rnd4k_q1t1", 4_KiB, random_accesses, 1),
};
constexpr std::array<std::string_view, tables.size()> labels{"SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T1", "RND4K Q1T1"};

constexpr Metric rate_of(std::size_t row, Access access) {
    return {.table = tables[row].name, .access = access, .block = {}, .value = Value::mb_per_s};
}
constexpr std::array headlines{
    Headline{rate_of(0, Access::sequential_read), "SEQ1M Q8T1 read, MB/s", 1},
    Headline{rate_of(0, Access::sequential_write), "SEQ1M Q8T1 write, MB/s", 1},
    Headline{rate_of(3, Access::random_read), "RND4K Q1T1 read, MB/s", 2},
    Headline{rate_of(3, Access::random_write), "RND4K Q1T1 write, MB/s", 2},
};

std::optional<View> four_rows(const DeviceResults& measured) {
    View view{.title = "CrystalDiskMark's four rows",
              .columns = {"Read MB/s", "Write MB/s", "Read IOPS", "Write IOPS"},
              .rows = {},
              .notes = {"MB/s: 10^6 bytes per second. CrystalDiskMark shows the best of five passes; KDiskMark the "
                        "mean, and prints 2.3 % less than it measured."}};
    for (std::size_t row = 0; row < tables.size(); ++row) {
        View::Row line{std::string(labels[row]), {}};
        bool any = false;
        for (const Value value : {Value::mb_per_s, Value::iops})
            for (std::size_t access = tables[row].accesses.size(); access-- > 0;) { // reads come before writes
                Metric metric = rate_of(row, tables[row].accesses[access]);
                metric.value = value;
                const auto number = measured.value_of(metric);
                any = any || number;
                line.cells.push_back(number ? fmt::format("{:.{}f}", *number, value == Value::iops ? 0 : 2) : "–");
            }
        if (any) view.rows.push_back(std::move(line));
    }
    if (view.rows.empty()) return std::nullopt;
    return view;
}

/// Both originals read all rows first and then write.
Result<workload::JobKind> reads_first(const Suite& suite, const SuiteRequest& request, Bytes available) {
    auto kind = sweep_of(suite, request, available);
    if (!kind) return kind;
    std::ranges::stable_partition(std::get<workload::SweepJob>(*kind).cells,
                                  [](const workload::CellSpec& cell) { return !workload::writes(cell.access); });
    return kind;
}

} // namespace

extern const Suite crystal;
constexpr Suite crystal{.name = "crystal",
                        .title = "CrystalDiskMark",
                        .version = 2,
                        .tables = tables,
                        .headlines = headlines,
                        .full_span = 1_GiB,
                        .quick_span = 32_MiB,
                        .kind_of = reads_first,
                        .view = four_rows};

} // namespace mediarig::suites

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/suites/sweep_suite.hpp"

namespace mediarig::suites {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view sizes_of_averages = "Lg Ave: 2 to 10 MB. Ext Ave: 20 to 100 MB.";

// Intech's published sizes: nine rows each. The volumes and time limits are chosen by this project, because those of
// QuickBench are not published.
constexpr std::array tables{
    SuiteTable{.name = "standard",
               .shape = Shape::block_sizes,
               .names = MetricNaming::block,
               .sizes = {4_KiB, 1024_KiB, {}},
               .accesses = all_accesses,
               .full = {128_MiB, seconds(10)},
               .quick = {4_MiB, milliseconds(300)},
               .average = "Average",
               .time_weighted = "Time-wtd",
               .note =
                   "Average: arithmetic mean of the rows 4 to 1024 KB, QuickBench-compatible. Time-wtd: harmonic mean, "
                   "the rate of equal volumes at each size.",
               .shows_latencies = true},
    SuiteTable{.name = "large",
               .shape = Shape::block_sizes,
               .names = MetricNaming::table_and_block,
               .by_default = false,
               .sizes = {2_MiB, 10_MiB, 1_MiB},
               .accesses = sequential_accesses,
               .full = {256_MiB, seconds(15)},
               .quick = {20_MiB, seconds(1)},
               .average = "Lg Ave",
               .note = sizes_of_averages,
               .rows_are_details = true},
    SuiteTable{.name = "extended",
               .shape = Shape::block_sizes,
               .names = MetricNaming::table_and_block,
               .by_default = false,
               .sizes = {20_MiB, 100_MiB, 10_MiB},
               .accesses = sequential_accesses,
               .full = {600_MiB, seconds(30)},
               .quick = {100_MiB, seconds(2)},
               .average = "Ext Ave",
               .note = sizes_of_averages,
               .rows_are_details = true},
};

constexpr Metric average_of(Access access) {
    return {.table = "standard", .access = access, .block = {}, .value = Value::average_mb_per_s};
}
constexpr std::array headlines{
    Headline{average_of(Access::sequential_read), "S.Read average, MB/s", 3},
    Headline{average_of(Access::sequential_write), "S.Write average, MB/s", 3},
    Headline{average_of(Access::random_read), "R.Read average, MB/s", 3},
    Headline{average_of(Access::random_write), "R.Write average, MB/s", 3},
};
constexpr std::array bars{
    Bar{average_of(Access::sequential_read), "S.Read"},
    Bar{average_of(Access::sequential_write), "S.Write"},
    Bar{average_of(Access::random_read), "R.Read"},
    Bar{average_of(Access::random_write), "R.Write"},
};
constexpr std::array charts{BarChart{"formats-quickbench", "QuickBench averages", "MB/s", bars}};

} // namespace

extern const Suite quickbench;
constexpr Suite quickbench{
    .name = "quickbench",
    .title = "QuickBench",
    .tables = tables,
    .headlines = headlines,
    .charts = charts,
    .full_span = 1_GiB,
    .quick_span = 32_MiB,
    .kind_of = sweep_of,
    .megabyte =
        "MB/s: 10^6 bytes per second. QuickBench counts 2^20 (inferred): divide by 1.049 to compare with its figures."};

} // namespace mediarig::suites

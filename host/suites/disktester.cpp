// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/suites/sweep_suite.hpp"

namespace mediarig::suites {
namespace {

using std::chrono::milliseconds;

// 2 GiB in 256 KiB and 1 MiB transfers; 256 MiB in 8 KiB transfers, which are the 32 768 operations of the printed
// rates.
constexpr std::array tables{
    Table{.name = "sequential",
          .shape = Shape::transfer_sizes,
          .names = Names::block,
          .sizes = {256_KiB, 1_MiB, 768_KiB},
          .accesses = sequential_accesses,
          .full = {2_GiB, {}},
          .quick = {16_MiB, milliseconds(800)}},
    Table{.name = "iops",
          .shape = Shape::operations,
          .names = Names::table,
          .sizes = {8_KiB, 8_KiB, {}},
          .accesses = random_accesses,
          .full = {256_MiB, {}},
          .quick = {8_MiB, milliseconds(800)},
          .shows_latencies = true},
};

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

} // namespace

extern const Suite disktester;
constexpr Suite disktester{.name = "disktester",
                           .title = "DiskTester",
                           .tables = tables,
                           .headlines = headlines,
                           .charts = charts,
                           .full_span = 2_GiB,
                           .quick_span = 32_MiB,
                           .kind_of = sweep_of};

} // namespace mediarig::suites

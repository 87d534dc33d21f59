// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "host/workload/suites/sweep_suite.hpp"

namespace mediarig::suites {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using workload::CellResult;

constexpr std::uint32_t warm_up = 1; // as in ioping: the first request includes the wake-up time of the medium

// ioping -c 11 and ioping -W -c 11 in a folder: one request of 4 KiB per second within a file of 1 MiB.
constexpr std::array paced{
    SuiteTable{.name = "ioping",
               .shape = Shape::named_views,
               .names = MetricNaming::table,
               .sizes = {4_KiB, 4_KiB, {}},
               .accesses = random_accesses,
               .full = {40_KiB, {}},
               .quick = {32_KiB, {}},
               .shows_latencies = true},
};
// ioping -R, -WR, -RL and -WRL: for 3 s, one request immediately after the other, within a file of 64 MiB.
constexpr SuiteTable rate_table(std::string_view name, Bytes block, std::span<const Access> accesses) {
    return {.name = name,
            .shape = Shape::named_views,
            .names = MetricNaming::table,
            .sizes = {block, block, {}},
            .accesses = accesses,
            .full = {16_GiB, seconds(3)},
            .quick = {16_GiB, milliseconds(500)},
            .shows_latencies = true};
}
constexpr std::array rates{rate_table("ioping_rate", 4_KiB, random_accesses),
                           rate_table("ioping_linear", 256_KiB, sequential_accesses)};

Result<workload::JobKind> paced_by(const Suite& suite, const SuiteRequest& request, Bytes available,
                                   std::chrono::nanoseconds interval) {
    if (request.queue_depth.value_or(1) != 1 || request.engine == workload::Engine::uring)
        return fail(Errc::bad_request,
                    "suite " + std::string(suite.name) + " makes one request at a time; omit queue depth and engine");
    auto kind = sweep_of(suite, request, available);
    if (!kind) return kind;
    std::get<workload::SweepJob>(*kind).pace = workload::Pace{.interval = interval, .warm_up = warm_up};
    return kind;
}
Result<workload::JobKind> each_second(const Suite& suite, const SuiteRequest& request, Bytes available) {
    return paced_by(suite, request, available, request.quick ? milliseconds(100) : milliseconds(1000));
}
Result<workload::JobKind> at_once(const Suite& suite, const SuiteRequest& request, Bytes available) {
    return paced_by(suite, request, available, {});
}

std::string milliseconds_text(std::chrono::nanoseconds length) {
    return fmt::format("{:.3f}", static_cast<double>(length.count()) / 1e6);
}

std::string label_of(const workload::CellSpec& cell) {
    const std::string size = cell.block.count >= 1024 ? fmt::format("{} KiB", cell.block.count / 1024)
                                                      : fmt::format("{} B", cell.block.count);
    return fmt::format("{} {}{}", workload::writes(cell.access) ? "write" : "read", size,
                       workload::random(cell.access) ? "" : ", in order");
}

std::optional<View> statistics(const DeviceResults& measured) {
    View view{.title = "ioping statistics",
              .columns = {"requests", "min", "avg", "max", "mdev", "iops", "MiB/s"},
              .rows = {},
              .notes = {}};
    if (measured.passes.empty()) return std::nullopt;
    for (const CellResult& cell : measured.passes.back()) {
        if (cell.latency.empty() || cell.elapsed.count() <= 0) continue;
        view.rows.push_back({label_of(cell.cell),
                             {std::to_string(cell.operations), milliseconds_text(cell.latency.min()),
                              milliseconds_text(*cell.latency.mean()), milliseconds_text(cell.latency.max()),
                              milliseconds_text(*cell.latency.deviation()),
                              fmt::format("{:.1f}", operations_per_second(cell.operations, cell.elapsed)),
                              fmt::format("{:.2f}", rate_of(cell.moved, cell.elapsed).mebibytes_per_second())}});
    }
    if (view.rows.empty()) return std::nullopt;
    view.notes.emplace_back(
        "Times in ms. iops and MiB/s (2^20 bytes) of the time in requests, as the original prints them. A write "
        "includes its sync.");
    return view;
}

constexpr Metric mean_of(std::string_view table, Access access) {
    return {.table = table, .access = access, .block = {}, .value = Value::mean_us};
}
constexpr Metric iops_of(std::string_view table, Access access) {
    return {.table = table, .access = access, .block = {}, .value = Value::iops};
}
constexpr std::array paced_headlines{
    Headline{mean_of("ioping", Access::random_read), "read request, us", 0},
    Headline{mean_of("ioping", Access::random_write), "write request, us", 0},
};
constexpr std::array rate_headlines{
    Headline{iops_of("ioping_rate", Access::random_read), "random read, requests/s", 0},
    Headline{iops_of("ioping_rate", Access::random_write), "random write, requests/s", 0},
};

} // namespace

extern const Suite ioping, ioping_rate;
constexpr Suite ioping{.name = "ioping",
                       .title = "ioping",
                       .tables = paced,
                       .headlines = paced_headlines,
                       .full_span = 1_MiB,
                       .quick_span = 1_MiB,
                       .kind_of = each_second,
                       .cache = workload::CachePolicy::dropped,
                       .view = statistics};
constexpr Suite ioping_rate{.name = "ioping-rate",
                            .title = "ioping -R",
                            .tables = rates,
                            .headlines = rate_headlines,
                            .full_span = 64_MiB,
                            .quick_span = 64_MiB,
                            .kind_of = at_once,
                            .cache = workload::CachePolicy::dropped,
                            .view = statistics};

} // namespace mediarig::suites

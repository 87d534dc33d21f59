// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "host/base/text.hpp"
#include "host/measure/statistics.hpp"
#include "host/workload/suites/sweep_suite.hpp"

namespace mediarig::suites {
namespace {

using workload::CellResult, workload::FileOrder, workload::FilesJob, workload::FileStep, workload::FileWork;

constexpr std::uint64_t megabyte = 1'000'000;
// 160 files with 53.3 GB: ten files of each size, written in a different order in each cycle.
constexpr std::array<std::uint64_t, 16> megabytes{2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400, 600, 800, 1000, 2000};
constexpr std::size_t quick_sizes = 5, quick_cycles = 2, cycles = 10;
constexpr Bytes transfer = 1_MiB;

constexpr std::array tables{SuiteTable{.name = "stibium",
                                       .shape = Shape::named_views,
                                       .names = MetricNaming::table_and_block,
                                       .accesses = sequential_accesses}};
constexpr Metric rate_of(Access access, std::uint64_t size) {
    return {.table = "stibium", .access = access, .block = Bytes{size * megabyte}, .value = Value::mb_per_s};
}
constexpr std::array headlines{
    Headline{rate_of(Access::sequential_write, 10), "write files of 10 MB, MB/s", 1},
    Headline{rate_of(Access::sequential_read, 10), "read files of 10 MB, MB/s", 1},
};

/// Returns the file sizes that fit, each `times` times: a card is smaller than the disks for which Stibium was made.
Result<std::vector<Bytes>> sizes_that_fit(const SuiteRequest& request, std::size_t times, Bytes available) {
    std::vector<Bytes> sizes;
    Bytes sum;
    const Bytes free_space = request.span.value_or(Bytes{available.count / 10 * 9});
    for (const std::uint64_t size : megabytes) {
        const Bytes next{size * megabyte};
        sum += next * times;
        if (sum > free_space || (request.quick && sizes.size() == quick_sizes)) break;
        sizes.push_back(next);
    }
    constexpr std::size_t fewest = 3; // fewer points define no line
    if (sizes.size() >= fewest) return sizes;
    const Bytes needed{((megabytes[0] + megabytes[1] + megabytes[2]) * megabyte * times + 8) / 9 * 10};
    return fail(Errc::bad_request, shortage("suite stibium", needed, available) + ": use a larger medium");
}

Result<workload::JobKind> files_of(const Suite& suite, const SuiteRequest& request, Bytes available) {
    if (auto sane = check_options_used(suite, request, {Option::span}); !sane) return fail(sane.error());
    const std::size_t times = request.quick ? quick_cycles : cycles;
    auto sizes = sizes_that_fit(request, times, available);
    if (!sizes) return fail(sizes.error());
    Bytes volume;
    for (const Bytes size : *sizes) volume += size * times;
    FilesJob job;
    job.sets.push_back({.files = static_cast<std::uint32_t>(sizes->size() * times),
                        .sizes = *sizes,
                        .law = {},
                        .first = 0,
                        .folders = {}});
    for (const auto& [access, name, work] : {std::tuple(Access::sequential_write, "stibium.write", FileWork::write),
                                             {Access::sequential_read, "stibium.read", FileWork::read}})
        job.steps.push_back({.cell = {.id = name,
                                      .table = "stibium",
                                      .access = access,
                                      .block = transfer,
                                      .volume = volume,
                                      .time_limit = {},
                                      .queue_depth = 1},
                             .work = work,
                             .set = 0,
                             .order = FileOrder::random_in_cycle,
                             .part = 1,
                             .by_size = true});
    return job;
}

/// Size in MB and time in seconds of each file.
std::vector<measure::Point> files_in(std::span<const CellResult> pass, Access access) {
    std::vector<measure::Point> points;
    for (const CellResult& cell : pass)
        if (cell.cell.table == "stibium" && cell.cell.access == access)
            for (const workload::SeriesSample& file : cell.series)
                points.push_back(
                    {static_cast<double>(file.moved.count) / 1e6, std::chrono::duration<double>(file.length).count()});
    return points;
}

std::optional<View> three_estimates(const DeviceResults& measured) {
    View view{
        .title = "Stibium",
        .columns = {"files", "total MB / total s", "MB/s by slope", "ms per file"},
        .rows = {},
        .notes = {
            "MB/s: 10^6 bytes per second. Slope and time per file: Theil-Sen line of time over size, which resists "
            "single slow files; the first is the rate of an endless file, the second the fixed time of a file."}};
    if (measured.passes.empty()) return std::nullopt;
    for (const auto& [access, label] :
         {std::pair(Access::sequential_write, "write"), {Access::sequential_read, "read"}}) {
        const auto points = files_in(measured.passes.back(), access);
        double size = 0, time = 0;
        for (const measure::Point& point : points) {
            size += point.x;
            time += point.y;
        }
        if (time <= 0) continue;
        const auto line = measure::theil_sen(points);
        view.rows.push_back({label,
                             {std::to_string(points.size()), fmt::format("{:.1f}", size / time),
                              line && line->slope > 0 ? fmt::format("{:.1f}", 1 / line->slope) : "–",
                              line && line->intercept >= 0 ? fmt::format("{:.2f}", line->intercept * 1e3) : "–"}});
    }
    if (view.rows.empty()) return std::nullopt;
    std::set<Bytes> sizes;
    for (const CellResult& cell : measured.passes.back()) sizes.insert(cell.cell.block);
    if (sizes.size() < megabytes.size())
        view.notes.push_back(fmt::format(
            "{} of the original's {} sizes, the largest {} MB: its total is not comparable with the published total.",
            sizes.size(), megabytes.size(), sizes.rbegin()->count / megabyte));
    return view;
}

} // namespace

extern const Suite stibium;
constexpr Suite stibium{.name = "stibium",
                        .title = "Stibium",
                        .tables = tables,
                        .headlines = headlines,
                        .kind_of = files_of,
                        .cache = workload::CachePolicy::dropped,
                        .view = three_estimates};

} // namespace mediarig::suites

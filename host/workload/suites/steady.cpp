// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/rate_course.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/workload/suites/sweep_suite.hpp"

namespace mediarig::suites {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using workload::CellResult, workload::MixJob;

// The three mixes of the SNIA's IOPS test: a minute each, at most 25 rounds, after the whole span was written twice in
// blocks of 128 KiB.
struct Mix {
    std::string_view table;
    std::string_view label;
    Bytes block;
    std::uint32_t reads, writes;
};
constexpr std::array mixes{
    Mix{"steady_1m", "1 MiB, 100 % reads", 1_MiB, 100, 0},
    Mix{"steady_64k", "64 KiB, 65 % reads", 64_KiB, 65, 35},
    Mix{"steady_4k", "4 KiB, 0 % reads", 4_KiB, 0, 100},
};
constexpr std::uint32_t window = 5, most_rounds = 25, quick_rounds = 8;

constexpr SuiteTable table_of(const Mix& mix) {
    return {.name = mix.table, .shape = Shape::named_views, .names = MetricNaming::table, .window = window};
}
constexpr std::array tables{table_of(mixes[0]), table_of(mixes[1]), table_of(mixes[2])};
constexpr Metric iops_of(std::string_view table, Access access) {
    return {.table = table, .access = access, .block = {}, .value = Value::iops};
}
constexpr std::array headlines{
    Headline{iops_of("steady_4k", Access::random_write), "4 KiB write, steady, IOPS", 0},
    Headline{iops_of("steady_1m", Access::random_read), "1 MiB read, steady, IOPS", 1},
};

Result<workload::JobKind> rounds_of(const Suite& suite, const SuiteRequest& request, Bytes available) {
    if (auto sane = check_options_used(suite, request, {Option::span, Option::time_limit}); !sane)
        return fail(sane.error());
    // A file system needs some of its space for metadata. A medium reaches its steady state only if almost all of it is
    // written.
    const Bytes whole = align_down(available - Bytes{available.count / 64}, 1_MiB);
    SuiteRequest filled = request;
    if (!filled.span && !request.quick && whole >= 1_MiB) filled.span = whole;
    auto span = span_for(filled, 32_MiB, 1_MiB, available);
    if (!span) return fail(span.error());
    MixJob job{.files = 1,
               .file_size = *span,
               .cells = {},
               .sync_every = 0,
               .rounds = workload::Rounds{.window = window,
                                          .most = request.quick ? quick_rounds : most_rounds,
                                          .precondition = request.quick ? *span : *span * 2}};
    const auto time = request.time_limit.value_or(request.quick ? std::chrono::nanoseconds(milliseconds(200))
                                                                : std::chrono::nanoseconds(seconds(60)));
    for (const Mix& mix : mixes)
        job.cells.push_back({.cell = {.id = std::string(mix.table),
                                      .table = std::string(mix.table),
                                      .access = Access::random_write,
                                      .block = mix.block,
                                      .volume = align_down(std::max(*span, 64_MiB), mix.block),
                                      .time_limit = time,
                                      .queue_depth = 1},
                             .reads = mix.reads,
                             .writes = mix.writes,
                             .on_new_files = false});
    return job;
}

/// Operations per second of each round, reads and writes together.
std::vector<double> rounds_in(std::span<const CellResult> pass, std::string_view table) {
    std::vector<double> rounds;
    for (const CellResult& cell : pass) {
        if (cell.cell.table != table) continue;
        rounds.resize(std::max(rounds.size(), cell.series.size()));
        for (std::size_t i = 0; i < cell.series.size(); ++i)
            if (cell.series[i].length.count() > 0)
                rounds[i] += operations_per_second(cell.series[i].operations, cell.series[i].length);
    }
    return rounds;
}

std::optional<View> steady_state(const DeviceResults& measured) {
    if (measured.passes.empty()) return std::nullopt;
    View view{
        .title = "Steady state",
        .columns = {"rounds", "first IOPS", "IOPS of the window", "excursion", "slope", "steady"},
        .rows = {},
        .notes = {fmt::format("The window is the last {} rounds. Steady: largest less smallest at most 20 % of the "
                              "mean, and the fitted line changes by at most 10 % (SNIA SSS PTS).",
                              window)}};
    for (const Mix& mix : mixes) {
        const auto rounds = rounds_in(measured.passes.back(), mix.table);
        const auto settled = measure::steadiness(rounds, window);
        if (!settled) continue;
        view.rows.push_back({std::string(mix.label),
                             {std::to_string(rounds.size()), fmt::format("{:.0f}", rounds.front()),
                              fmt::format("{:.0f}", settled->mean), fmt::format("{:.0f} %", settled->excursion * 100),
                              fmt::format("{:.0f} %", settled->slope * 100), settled->steady() ? "yes" : "no"}});
    }
    if (view.rows.empty()) return std::nullopt;
    return view;
}

std::string_view unsettled(std::span<const CellResult> pass) {
    const bool all_settled = std::ranges::all_of(mixes, [&](const Mix& mix) {
        const auto settled = measure::steadiness(rounds_in(pass, mix.table), window);
        return settled && settled->steady();
    });
    return all_settled ? "" : "not settled";
}

} // namespace

extern const Suite steady;
constexpr Suite steady{.name = "steady",
                       .title = "Steady state",
                       .version = 2,
                       .tables = tables,
                       .headlines = headlines,
                       .kind_of = rounds_of,
                       .caveat = unsettled,
                       .view = steady_state};

} // namespace mediarig::suites

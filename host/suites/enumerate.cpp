// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "host/suites/sweep_suite.hpp"

namespace mediarig::suites {
namespace {

using workload::CellResult, workload::FileOrder, workload::FilesJob, workload::FileSet, workload::FileWork;

// A tree of three levels with ten files in each of the last folders, sizes with a density of 1 / x^2; 5 % of the files
// are replaced in each of twenty cycles, and the whole tree is walked after each. The large tree is the published one:
// 111,000 folders and a million files, 18 GB in all; the small one is for cards.
struct Tree {
    std::vector<std::uint32_t> folders;
    std::uint32_t files;
    Bytes largest;
    std::uint32_t cycles;
};
constexpr Bytes smallest_file{1070};
constexpr double replaced = 0.05;
constexpr Bytes transfer = 1_MiB;
constexpr std::uint32_t published_cycles = 20, quick_cycles = 3;

struct Phase {
    std::string_view table;
    std::string_view label;
    Access access;
};
constexpr std::array phases{
    Phase{"create", "create", Access::sequential_write}, Phase{"walk", "walk, fresh", Access::sequential_read},
    Phase{"replace", "replace 5 %", Access::random_write}, Phase{"aged_walk", "walk, aged", Access::sequential_read},
    Phase{"remove", "remove", Access::sequential_write}};
constexpr auto tables = [] {
    std::array<Table, phases.size()> made{};
    for (std::size_t i = 0; i < phases.size(); ++i)
        made[i] = {.name = phases[i].table, .shape = Shape::own_view, .names = Names::table};
    return made;
}();
constexpr Metric rate_of(std::size_t phase) {
    return {.table = phases[phase].table, .access = phases[phase].access, .block = {}, .value = Value::iops};
}
constexpr std::array headlines{
    Headline{rate_of(0), "files made/s", 0},
    Headline{rate_of(1), "entries walked/s, fresh", 0},
    Headline{rate_of(3), "entries walked/s, aged", 0},
};

/// Mean of the sizes: a ln(b / a) where b is much larger than a. Twice that and a cluster for each file are asked for.
Bytes room_for(const Tree& tree) {
    constexpr std::uint64_t mean_file = 18'000, cluster = 32'768;
    return Bytes{(mean_file + cluster) * tree.files} + tree.largest * 2;
}

Result<workload::JobKind> cycles_of(const Suite& suite, const SuiteRequest& request, Bytes available,
                                    const Tree& tree) {
    if (auto sane = take_only(suite, request, {}); !sane) return fail(sane.error());
    if (room_for(tree) > available)
        return fail(Errc::bad_request,
                    fmt::format("suite {} needs {} bytes; {} are there: use a larger medium{}", suite.name,
                                room_for(tree).count, available.count, request.quick ? "" : " or --quick"));
    FilesJob job;
    job.sets.push_back({.files = tree.files,
                        .sizes = {},
                        .law = workload::SizeLaw{.smallest = smallest_file, .largest = tree.largest},
                        .first = 0,
                        .folders = tree.folders});
    const Bytes volume{std::uint64_t{18'000} * tree.files};
    const auto add = [&](std::size_t phase, FileWork work, Bytes moved) {
        job.steps.push_back({.cell = {.id = std::string(phases[phase].table),
                                      .table = std::string(phases[phase].table),
                                      .access = phases[phase].access,
                                      .block = transfer,
                                      .volume = moved,
                                      .time_limit = {},
                                      .queue_depth = 1},
                             .work = work,
                             .set = 0,
                             .order = FileOrder::by_number,
                             .part = work == FileWork::replace ? replaced : 1,
                             .by_size = false});
    };
    add(0, FileWork::create, volume);
    add(1, FileWork::walk, {});
    for (std::uint32_t cycle = 0; cycle < tree.cycles; ++cycle) {
        add(2, FileWork::replace, Bytes{static_cast<std::uint64_t>(static_cast<double>(volume.count) * replaced)});
        add(3, FileWork::walk, {});
    }
    add(4, FileWork::remove, {});
    return job;
}

Result<workload::JobKind> small_tree(const Suite& suite, const SuiteRequest& request, Bytes available) {
    if (request.quick) return cycles_of(suite, request, available, {{5, 2, 2}, 200, 1_MiB, quick_cycles});
    return cycles_of(suite, request, available, {{10, 10, 10}, 10'000, 64_MiB, published_cycles});
}
Result<workload::JobKind> published_tree(const Suite& suite, const SuiteRequest& request, Bytes available) {
    if (request.quick) return cycles_of(suite, request, available, {{100, 10, 10}, 100'000, 64_MiB, quick_cycles});
    return cycles_of(suite, request, available, {{1000, 10, 10}, 1'000'000, {20'000'000'000}, published_cycles});
}

std::optional<View> ageing(const Measured& measured) {
    View view{.title = "Enumeration of an ageing tree",
              .columns = {"seconds", "entries/s", "first cycle s", "last cycle s"},
              .rows = {},
              .notes = {}};
    if (measured.passes.empty()) return std::nullopt;
    double fresh = 0, last = 0;
    for (const Phase& phase : phases)
        for (const CellResult& cell : measured.passes.back()) {
            if (cell.cell.table != phase.table || cell.elapsed.count() <= 0 || cell.operations == 0) continue;
            const auto seconds = [](std::chrono::nanoseconds time) {
                return std::chrono::duration<double>(time).count();
            };
            const bool walks = phase.access == Access::sequential_read && !cell.series.empty();
            if (walks && phase.table == "walk") fresh = seconds(cell.elapsed);
            if (walks && phase.table == "aged_walk") last = seconds(cell.series.back().length);
            view.rows.push_back({std::string(phase.label),
                                 {fmt::format("{:.2f}", seconds(cell.elapsed)),
                                  fmt::format("{:.0f}", operations_per_second(cell.operations, cell.elapsed)),
                                  walks ? fmt::format("{:.2f}", seconds(cell.series.front().length)) : "",
                                  walks ? fmt::format("{:.2f}", seconds(cell.series.back().length)) : ""}});
        }
    if (view.rows.empty()) return std::nullopt;
    if (fresh > 0 && last > 0)
        view.notes.push_back(fmt::format("The last walk took {:.2f} times as long as the first.", last / fresh));
    view.notes.emplace_back(
        "Seconds with the sync that ends a phase. Sizes and the files that are replaced follow from the "
        "order's start value, so each format gets the same changes.");
    if (measured.passes.size() > 1) view.notes.emplace_back("Of the last pass.");
    return view;
}

} // namespace

extern const Suite enumerate, enumerate_million;
constexpr Suite enumerate{.name = "enumerate",
                          .title = "Enumeration",
                          .tables = tables,
                          .headlines = headlines,
                          .kind_of = small_tree,
                          .cache = workload::CachePolicy::dropped,
                          .view = ageing};
constexpr Suite enumerate_million{.name = "enumerate-million",
                                  .title = "Enumeration, a million files",
                                  .tables = tables,
                                  .headlines = headlines,
                                  .kind_of = published_tree,
                                  .cache = workload::CachePolicy::dropped,
                                  .view = ageing};

} // namespace mediarig::suites

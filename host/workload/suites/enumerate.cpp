// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "host/base/text.hpp"
#include "host/workload/suites/sweep_suite.hpp"

namespace mediarig::suites {
namespace {

using workload::CellResult, workload::FileOrder, workload::FilesJob, workload::FileWork;

// A tree of three levels with ten files in each folder of the lowest level and sizes with a density of 1 / x^2. In each
// of twenty cycles 5 % of the files are replaced, then the whole tree is walked. The large tree is the published one:
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
constexpr std::array phases{Phase{"create", "create", Access::sequential_write},
                            Phase{"walk", "walk, fresh", Access::sequential_read},
                            Phase{"pieces", "pieces, fresh", Access::sequential_read},
                            Phase{"copy", "copy 5 %, fresh", Access::sequential_write},
                            Phase{"rename", "rename 5 %, fresh", Access::random_write},
                            Phase{"replace", "replace 5 %, all cycles", Access::random_write},
                            Phase{"aged_walk", "walk", Access::sequential_read},
                            Phase{"last_walk", "walk", Access::sequential_read},
                            Phase{"aged_pieces", "pieces, aged", Access::sequential_read},
                            Phase{"aged_copy", "copy 5 %, aged", Access::sequential_write},
                            Phase{"aged_rename", "rename 5 %, aged", Access::random_write},
                            Phase{"remove_copies", "remove copies, both", Access::sequential_write},
                            Phase{"remove", "remove", Access::sequential_write}};
constexpr auto tables = [] {
    std::array<SuiteTable, phases.size()> made{};
    for (std::size_t i = 0; i < phases.size(); ++i)
        made[i] = {.name = phases[i].table, .shape = Shape::named_views, .names = MetricNaming::table};
    return made;
}();
constexpr std::size_t phase_called(std::string_view table) {
    std::size_t at = 0;
    while (phases[at].table != table) ++at;
    return at;
}
constexpr Metric metric_of(std::string_view table, Value value) {
    return {.table = table, .access = phases[phase_called(table)].access, .block = {}, .value = value};
}
constexpr std::array headlines{
    Headline{metric_of("create", Value::iops), "files made/s", 0},
    Headline{metric_of("walk", Value::iops), "entries walked/s fresh", 0},
    Headline{metric_of("last_walk", Value::iops), "entries walked/s aged", 0},
    Headline{metric_of("copy", Value::iops), "files copied/s fresh", 0},
    Headline{metric_of("aged_copy", Value::iops), "files copied/s aged", 0},
    Headline{metric_of("aged_rename", Value::iops), "renames/s aged", 0},
    Headline{metric_of("remove", Value::iops), "files removed/s", 0},
    Headline{metric_of("aged_pieces", Value::operations), "pieces of all files aged", 0},
};

std::uint32_t copies_of(const Tree& tree) {
    return static_cast<std::uint32_t>(static_cast<double>(tree.files) * replaced);
}

/// The mean size of a file is a ln(b / a) if b is much larger than a. The required space is twice the sum of all sizes
/// plus a cluster for each file.
Bytes room_for(const Tree& tree) {
    constexpr std::uint64_t mean_file = 18'000, cluster = 32'768;
    return Bytes{(mean_file + cluster) * (tree.files + copies_of(tree))} + tree.largest * 3;
}

Result<workload::JobKind> cycles_of(const Suite& suite, const SuiteRequest& request, Bytes available,
                                    const Tree& tree) {
    if (auto sane = check_options_used(suite, request, {}); !sane) return fail(sane.error());
    if (room_for(tree) > available)
        return fail(Errc::bad_request,
                    fmt::format("{}: use a larger medium{}",
                                shortage(fmt::format("suite {}", suite.name), room_for(tree), available),
                                request.quick ? "" : " or --quick"));
    FilesJob job;
    const workload::SizeLaw law{.smallest = smallest_file, .largest = tree.largest};
    const std::uint32_t copies = copies_of(tree);
    job.sets.push_back({.files = tree.files, .sizes = {}, .law = law, .first = 0, .folders = tree.folders});
    job.sets.push_back({.files = copies, .sizes = {}, .law = law, .first = tree.files, .folders = tree.folders});
    const Bytes volume{std::uint64_t{18'000} * tree.files}, part{std::uint64_t{18'000} * copies};
    const auto add = [&](std::string_view table, FileWork work, Bytes moved, std::uint32_t set) {
        job.steps.push_back({.cell = {.id = std::string(table),
                                      .table = std::string(table),
                                      .access = phases[phase_called(table)].access,
                                      .block = transfer,
                                      .volume = moved,
                                      .time_limit = {},
                                      .queue_depth = 1},
                             .work = work,
                             .set = set,
                             .order = FileOrder::by_number,
                             .part = work == FileWork::replace || work == FileWork::rename ? replaced : 1,
                             .by_size = false});
    };
    add("create", FileWork::create, volume, 0);
    add("walk", FileWork::walk, {}, 0);
    add("pieces", FileWork::pieces, {}, 0);
    add("copy", FileWork::copy, part, 1);
    add("rename", FileWork::rename, {}, 0);
    add("remove_copies", FileWork::remove, {}, 1);
    for (std::uint32_t cycle = 0; cycle < tree.cycles; ++cycle) {
        add("replace", FileWork::replace, part, 0);
        add(cycle + 1 < tree.cycles ? "aged_walk" : "last_walk", FileWork::walk, {}, 0);
    }
    add("aged_pieces", FileWork::pieces, {}, 0);
    add("aged_copy", FileWork::copy, part, 1);
    add("aged_rename", FileWork::rename, {}, 0);
    add("remove_copies", FileWork::remove, {}, 1);
    add("remove", FileWork::remove, {}, 0);
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

double seconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
}

const CellResult* cell_of(std::span<const CellResult> pass, std::string_view table) {
    const auto found = std::ranges::find_if(pass, [&](const CellResult& cell) {
        return cell.cell.table == table && cell.elapsed.count() > 0 && cell.operations > 0;
    });
    return found == pass.end() ? nullptr : &*found;
}

View::Row walk_row(std::string label, std::uint64_t entries, std::chrono::nanoseconds time) {
    return {std::move(label),
            {fmt::format("{:.{}f}", seconds(time), seconds(time) < 0.1 ? 4 : 2),
             fmt::format("{:.0f}", operations_per_second(entries, time)), ""}};
}

/// Adds a row for the walk after each cycle.
void add_walks(std::span<const CellResult> pass, View& view) {
    std::size_t cycle = 0;
    const auto add = [&](std::uint64_t entries, std::chrono::nanoseconds time) {
        view.rows.push_back(walk_row(fmt::format("walk, cycle {}", ++cycle), entries, time));
    };
    if (const CellResult* const before = cell_of(pass, "aged_walk"))
        for (const workload::SeriesSample& walk : before->series) add(walk.operations, walk.length);
    if (const CellResult* const last = cell_of(pass, "last_walk")) add(last->operations, last->elapsed);
}

std::optional<View> ageing(const DeviceResults& measured) {
    View view{.title = "Enumeration of an ageing tree",
              .columns = {"seconds", "entries/s", "pieces per file"},
              .rows = {},
              .notes = {}};
    if (measured.passes.empty()) return std::nullopt;
    const auto pass = measured.passes.back();
    const CellResult* const made = cell_of(pass, "create");
    for (const Phase& phase : phases) {
        if (phase.table == "last_walk") add_walks(pass, view);
        const CellResult* const cell = cell_of(pass, phase.table);
        if (cell == nullptr || phase.label == "walk") continue;
        View::Row row = walk_row(std::string(phase.label), cell->operations, cell->elapsed);
        if (phase.table.ends_with("pieces") && made != nullptr) {
            row.cells[0] = row.cells[1] = "";
            row.cells[2] =
                fmt::format("{:.3f}", static_cast<double>(cell->operations) / static_cast<double>(made->operations));
        }
        view.rows.push_back(std::move(row));
    }
    const CellResult *const fresh = cell_of(pass, "walk"), *const aged = cell_of(pass, "last_walk");
    if (view.rows.empty()) return std::nullopt;
    if (fresh != nullptr && aged != nullptr)
        view.notes.push_back(fmt::format("The last walk took {:.2f} times as long as the first.",
                                         seconds(aged->elapsed) / seconds(fresh->elapsed)));
    view.notes.emplace_back(
        "Seconds with the sync that ends a phase. Sizes and the files that are replaced follow from the "
        "order's start value, so each format gets the same changes.");
    return view;
}

} // namespace

extern const Suite enumerate, enumerate_million;
constexpr Suite enumerate{.name = "enumerate",
                          .title = "Enumeration",
                          .version = 4,
                          .tables = tables,
                          .headlines = headlines,
                          .kind_of = small_tree,
                          .cache = workload::CachePolicy::dropped,
                          .view = ageing};
constexpr Suite enumerate_million{.name = "enumerate-million",
                                  .title = "Enumeration, a million files",
                                  .version = 4,
                                  .tables = tables,
                                  .headlines = headlines,
                                  .kind_of = published_tree,
                                  .cache = workload::CachePolicy::dropped,
                                  .view = ageing};

} // namespace mediarig::suites

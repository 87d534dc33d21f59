// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/titles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "host/measure/plausibility.hpp"

namespace mediarig::workload {
std::string_view title_of(Access access) {
    constexpr std::array titles{Name<Access>{Access::sequential_read, "sequential read"},
                                Name<Access>{Access::sequential_write, "sequential write"},
                                Name<Access>{Access::random_read, "random read"},
                                Name<Access>{Access::random_write, "random write"}};
    return name_in(titles, access);
}
std::string block_title(Bytes block) {
    if (block.count % 1024 != 0) return std::to_string(block.count) + " B";
    // Published tables use KB up to 1024 KB and MB above.
    if (block > 1_MiB && block.count % (1024 * 1024) == 0) return std::to_string(block.count >> 20) + " MB";
    return std::to_string(block.count >> 10) + " KB";
}

namespace {

std::string in_words(std::string text) {
    std::ranges::replace(text, '_', ' ');
    return text;
}

const CellSpec* cell_called(std::string_view id, const SweepJob& sweep) {
    const auto found = std::ranges::find(sweep.cells, id, &CellSpec::id);
    return found == sweep.cells.end() ? nullptr : &*found;
}
const CellSpec* cell_called(std::string_view id, const MixJob& mix) {
    const auto found = std::ranges::find(mix.cells, id, [](const MixCell& each) { return each.cell.id; });
    return found == mix.cells.end() ? nullptr : &found->cell;
}
const CellSpec* cell_called(std::string_view id, const FilesJob& files) {
    const auto found = std::ranges::find(files.steps, id, [](const FileStep& each) { return each.cell.id; });
    return found == files.steps.end() ? nullptr : &found->cell;
}
// The phases of these jobs are not named after cells, or have the ids above.
const CellSpec* cell_called(std::string_view, const VerifyJob&) {
    return nullptr;
}
const CellSpec* cell_called(std::string_view, const ProbeJob&) {
    return nullptr;
}
const CellSpec* cell_called(std::string_view, const BlogJob&) {
    return nullptr;
}

} // namespace

std::string cell_title(const CellSpec& cell) {
    if (cell.id == verify_write_id) return "writing";
    if (cell.id == verify_read_id) return "reading back";
    if (cell.id == probe_id) return "probing";
    std::string_view rest = cell.id;
    const auto take = [&](std::string_view part) {
        if (!rest.starts_with(part)) return false;
        rest.remove_prefix(part.size());
        return true;
    };
    const std::string access = "." + std::string(name_of(cell.access)), size = "." + std::to_string(cell.block.count);
    const std::string_view direction = writes(cell.access) ? ".write" : ".read";
    const bool of_table = !cell.table.empty() && take(cell.table);
    const bool has_access = take(access), was_directed = take(direction), has_size = take(size);
    const bool has_direction = was_directed || take(direction);
    const std::string_view round = rest.starts_with('.') ? rest.substr(1) : std::string_view();
    const bool has_round = cell.payload && !round.empty() && round.find_first_not_of("0123456789") == round.npos;
    if (!of_table || !(rest.empty() || has_round)) return in_words(cell.id);
    if (has_access && has_size) {
        const std::string title = std::string(title_of(cell.access)) + " " + block_title(cell.block);
        return has_round ? fmt::format("{}, {}, round {}", in_words(cell.table), title, round) : title;
    }
    std::string title = in_words(cell.table);
    if (has_access) title += " " + std::string(title_of(cell.access));
    if (has_size) title += " " + block_title(cell.block);
    if (!has_direction) return title;
    const bool writing = writes(cell.access);
    return has_size ? title + (writing ? ", writes" : ", reads") : (writing ? "writing " : "reading ") + title;
}

namespace {

/// Returns the title of a phase that is not a cell; the id in words for an unknown phase.
std::string title_of_other_phase(const std::string& id) {
    constexpr std::pair<std::string_view, std::string_view> titles[] = {
        {"layout", "preparing"},   {"precondition", "preparing"}, {"sync", "flushing"},    {"cleanup", "cleaning up"},
        {"confirm", "confirming"}, {"restoring", "restoring"},    {"blogs", "blog users"}, {"probe", "probing"}};
    for (const auto& [phase, title] : titles)
        if (id == phase) return std::string(title);
    return cell_title({.id = id, .table = {}});
}

} // namespace

std::string phase_title(const JobSpec& job, std::string_view phase) {
    // "round 3, rw65"
    constexpr std::string_view separator = ", ";
    const std::size_t comma = phase.rfind(separator);
    const std::size_t begin = comma == phase.npos ? 0 : comma + separator.size();
    const std::string id(phase.substr(begin));
    const CellSpec* const cell = std::visit([&](const auto& kind) { return cell_called(id, kind); }, job.kind);
    return std::string(phase.substr(0, begin)) + (cell != nullptr ? cell_title(*cell) : title_of_other_phase(id));
}

std::string busy_title(const HostLoad& load) {
    if (load.over.count() <= 0) return {};
    const auto seconds = [](std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); };
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    const auto add_share = [&](const std::optional<std::chrono::nanoseconds>& time, double most,
                               std::string_view name) {
        const double share = time ? seconds(*time) / seconds(load.over) : 0;
        if (share > most) add(fmt::format("{} for {:.0f} % of the time", name, 100 * std::min(1.0, share)));
    };
    add_share(load.processor_waits, measure::most_processor_wait, "processes waited for a processor");
    add_share(load.memory_waits, measure::most_memory_wait, "processes waited for memory");
    add_share(load.stolen, measure::most_stolen, "the hypervisor ran other guests");
    const std::uint64_t switches = load.involuntary_switches.value_or(0);
    const double per_second = static_cast<double>(switches) / seconds(load.over);
    if (switches > measure::usual_involuntary_switches && per_second > measure::most_involuntary_switches_per_second)
        add(fmt::format("the test had to leave its processor {:.0f} times per second", per_second));
    return text;
}

} // namespace mediarig::workload

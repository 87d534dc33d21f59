// SPDX-License-Identifier: GPL-3.0-or-later
// Uses of the matrix of objects, uses and names, by separate processes.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "tests/media/claim/scenarios/cell_evidence.hpp"
#include "tests/media/claim/scenarios/mutations.hpp"

namespace mediarig::claim_scenarios {
namespace {

/// Excludes the uses that uses.cpp makes (mounts, swap and exclusive holders), and guests, which start too slowly.
constexpr std::array drawn{Activity::open_for_reading,
                           Activity::open_for_writing,
                           Activity::mapped,
                           Activity::ofd_lock,
                           Activity::posix_lock,
                           Activity::flock,
                           Activity::lease,
                           Activity::in_flight,
                           Activity::own_table,
                           Activity::io_uring};

/// Gives the path another name in the process's own mount namespace.
void bind_elsewhere(const std::string& place, CellUse& how) {
    const std::string path = how.path;
    how.elsewhere = true;
    how.enter = [path, place] { return bind_mount(path, place); };
    how.path = place;
}

} // namespace

void Mutator::reach_file(Rng& rng, const Focus& focus, Use& use, CellUse& how) {
    use.file = file_for(rng, focus);
    use.range = {0, scenario_.files()[static_cast<std::size_t>(use.file)].size};
    how.path = name_for(rng, use.file);
    const std::string in_main = scenario_.main_folder() + "/";
    const bool by_main = how.path.starts_with(in_main) && scenario_.backing() != Backing::overlay;
    if (by_main && rng.chance(35)) {
        // This is the state of a container whose upper folder is the main folder.
        use.route = Route::upper_elsewhere;
        how.elsewhere = true;
        how.path = scenario_.overlay_folder() + "/" + how.path.substr(in_main.size());
        how.enter = [this] { return scenario_.mount_over_main_folder(); };
        touch_all();
    } else if (!how.path.starts_with("/proc/") && rng.chance(25)) {
        use.route = Route::other_namespace;
        bind_elsewhere(scenario_.fresh_path("bound"), how);
    }
}

/// Returns a description of the preparations. Sets no path in `how` if no object can be reached.
std::string Mutator::reach_device(Rng& rng, const Focus& focus, Use& use, CellUse& how) {
    std::string told;
    auto loops = others_.attached_loops();
    if (loops.empty()) {
        told = attach_loop(rng, file_for(rng, focus)) + "; ";
        loops = others_.attached_loops();
        if (loops.empty()) return told;
    }
    ForeignLoop& loop = *loops[rng.below(loops.size())];
    int number = loop.loop.number;
    use.file = loop.file;
    use.range = loop.range;
    if (focus.claimed_loop >= 0 && rng.chance(25)) {
        number = focus.claimed_loop;
        use.file = focus.claimed_file;
        use.range = focus.claimed_range;
    }
    use.device = number;
    use.within = {0, use.range.end - use.range.begin};
    how.path = loop_node(number);
    if (number == loop.loop.number && !loop.on_loop && use.within.end >= 2 * mib && rng.chance(40)) {
        const std::uint64_t start = (1 + rng.below(use.within.end / mib - 1)) * mib;
        const int part = ++loop.partitions;
        const int error = add_partition(loop.loop.fd.get(), part, start, mib);
        told += fmt::format("add {}: {}; ", partition_node(number, part), text_for(error));
        if (error == 0) {
            use.of_partition = true;
            use.range = {use.range.begin + start, use.range.begin + start + mib};
            use.within = {start, start + mib};
            how.path = partition_node(number, part);
        }
    }
    struct stat status {};
    const std::string alias = scenario_.fresh_path("alias");
    if (rng.chance(30) && ::stat(how.path.c_str(), &status) == 0 &&
        ::mknod(alias.c_str(), S_IFBLK | 0600, status.st_rdev) == 0) {
        use.route = Route::alias;
        how.path = alias;
    } else if (rng.chance(25)) {
        use.route = Route::other_namespace;
        bind_elsewhere(scenario_.fresh_path("bound"), how);
    }
    return told;
}

std::string Mutator::use_of_matrix(Rng& rng, const Focus& focus) {
    Use use{.kind = UseKind::by_matrix};
    CellUse how{.activity = drawn[rng.below(drawn.size())],
                .path = {},
                .place = {},
                .file_system = {},
                .base = scenario_.base(),
                .elsewhere = {},
                .enter = {}};
    std::string told;
    if (rng.chance(55) && how.activity != Activity::lease)
        told = reach_device(rng, focus, use, how);
    else
        reach_file(rng, focus, use, how);
    if (how.path.empty()) return told;
    use.activity = how.activity;
    use.user = std::make_unique<CellUser>();
    const int error = use.user->start(how);
    use.text =
        fmt::format("{}: '{}'{}{}", name_of(use.activity), how.path, how.elsewhere ? " in another namespace" : "",
                    use.route == Route::upper_elsewhere ? " through an overlay" : "");
    told += fmt::format("{}: {}", use.text, text_for(error));
    if (error != 0) return told;
    if (rng.chance(2))
        for (const std::string& missing : evidence_against(how, use.user->process()))
            disagreements.push_back(use.text + ": " + missing);
    others_.add(std::move(use));
    return told;
}

} // namespace mediarig::claim_scenarios

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/scenarios/mutations.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace mediarig::claim_scenarios {
std::string alias_path(const ScenarioFiles& scenario, int which) {
    return fmt::format("{}/node{}", scenario.folder(), which);
}

std::string Mutator::mutate(Rng rng, const Focus& focus) {
    switch (rng.weighted({46, 10, 8, 9, 4, 4, 9, 4, 4, 4, 3, 4})) {
        case 0:
            return use(rng.branch(), focus);
        case 1:
            return end_something(rng);
        case 2:
            return attach_loop(rng, file_for(rng, focus));
        case 3:
            return move_loop_window(rng, focus);
        case 4:
            return attach_number_again(rng);
        case 5:
            return set_loop_direct_io(rng, focus);
        case 6:
            return exchange_names(rng, focus);
        case 7:
            return exchange_folder(rng);
        case 8:
            return point_link_elsewhere(rng);
        case 9:
            return exchange_nodes(rng);
        case 10:
            return change_rights(rng, focus);
        default:
            return change_length(rng, focus);
    }
}

int Mutator::file_for(Rng& rng, const Focus& focus) const {
    const int file = focus.claimed_file >= 0 ? focus.claimed_file : focus.file;
    if (file >= 0 && rng.chance(70)) return file;
    return static_cast<int>(rng.below(scenario_.files().size()));
}

std::string Mutator::name_for(Rng& rng, int file) const {
    const auto names = scenario_.names_of(file);
    // None of the names may refer to the file now.
    if (names.empty())
        return fmt::format("/proc/self/fd/{}", scenario_.files()[static_cast<std::size_t>(file)].handle.get());
    return rng.pick(names);
}

void Mutator::touch(int file) {
    if (file >= 0) touched[static_cast<std::size_t>(file)] = true;
}
void Mutator::touch_all() {
    touched.assign(touched.size(), true);
}

std::string Mutator::move_loop_window(Rng& rng, const Focus& focus) {
    const auto loops = others_.attached_loops();
    Descriptor opened;
    int fd = -1, number = -1, file = -1;
    Range now;
    if (focus.claimed_loop >= 0 && rng.chance(50)) {
        number = focus.claimed_loop;
        file = focus.claimed_file;
        opened = Descriptor(::open(loop_node(number).c_str(), O_RDONLY | O_CLOEXEC));
        fd = opened.get();
        now = focus.claimed_range;
    } else if (!loops.empty()) {
        const ForeignLoop& loop = *loops[rng.below(loops.size())];
        if (loop.on_loop) return "no window to move";
        number = loop.loop.number;
        file = loop.file;
        fd = loop.loop.fd.get();
        now = loop.range;
    }
    const auto status = fd >= 0 ? status_of(fd) : std::nullopt;
    // Skip a device whose number another user has taken in the meantime.
    if (!status || scenario_.file_of(status->lo_device, status->lo_inode) != file) return "no window to move";
    const std::uint64_t size = scenario_.files()[static_cast<std::size_t>(file)].size;
    const std::uint64_t begin = rng.below(size / mib) * mib;
    const Range range{begin, std::min(size, begin + (rng.chance(60) ? now.end - now.begin : mib))};
    const int error = mediarig::claim_scenarios::move_window(fd, range.begin, range.end - range.begin);
    if (error == 0) {
        if (ForeignLoop* loop = others_.loop_of(number)) loop->range = range;
        others_.follow_window(number, file, range);
        touch(file);
    }
    return fmt::format("move the window of {}{} to {}-{} KiB: {}", number == focus.claimed_loop ? "the claimed " : "",
                       loop_node(number), range.begin >> 10, range.end >> 10, text_for(error));
}

std::string Mutator::attach_number_again(Rng& rng) {
    const auto loops = others_.attached_loops();
    if (loops.empty()) return "no number to attach again";
    ForeignLoop& loop = *loops[rng.below(loops.size())];
    const int number = loop.loop.number;
    const int detached = others_.detach_loop(loop);
    if (detached != 0) return fmt::format("detach {}: {}", loop_node(number), text_for(detached));
    touch(loop.file);
    const int file = static_cast<int>(rng.below(scenario_.files().size()));
    ForeignLoop made{.file = file, .range = {0, scenario_.files()[static_cast<std::size_t>(file)].size}};
    const std::string name = name_for(rng, file);
    const int error = attach_again(number, name, {}, made.loop);
    if (error == 0) others_.loops.push_back(std::move(made));
    touch(file);
    return fmt::format("detach {} and attach '{}' to it: {}", loop_node(number), name, text_for(error));
}

std::string Mutator::set_loop_direct_io(Rng& rng, const Focus& focus) {
    const auto loops = others_.attached_loops();
    const bool on = rng.chance(50);
    int fd = -1, number = -1;
    Descriptor opened;
    if (focus.claimed_loop >= 0 && rng.chance(50)) {
        number = focus.claimed_loop;
        opened = Descriptor(::open(loop_node(number).c_str(), O_RDONLY | O_CLOEXEC));
        fd = opened.get();
        const auto status = fd >= 0 ? status_of(fd) : std::nullopt;
        if (!status || scenario_.file_of(status->lo_device, status->lo_inode) != focus.claimed_file)
            return "no loop device to switch";
    } else if (!loops.empty()) {
        const ForeignLoop& loop = *loops[rng.below(loops.size())];
        number = loop.loop.number;
        fd = loop.loop.fd.get();
    }
    if (fd < 0) return "no loop device to switch";
    return fmt::format("direct I/O {} on {}: {}", on ? "on" : "off", loop_node(number),
                       text_for(mediarig::claim_scenarios::set_direct_io(fd, on)));
}

std::string Mutator::exchange_names(Rng& rng, const Focus& focus) {
    const auto& names = scenario_.plain_names();
    const bool of_target = std::find(names.begin(), names.end(), focus.target) != names.end() && rng.chance(75);
    const std::string one = of_target ? focus.target : rng.pick(names);
    const std::string other = rng.pick(names);
    if (one == other) return "nothing to exchange";
    const int error = mediarig::claim_scenarios::exchange(one, other);
    if (error == 0) touch_all();
    return fmt::format("exchange '{}' and '{}': {}", one, other, text_for(error));
}

std::string Mutator::exchange_folder(Rng& rng) {
    (void)rng;
    // Exchanges the folder with a link to the other folder, in one step; the next call exchanges them again.
    const std::string link = scenario_.folder() + "/folder-link";
    ::symlink("e", link.c_str());
    const int error = mediarig::claim_scenarios::exchange(scenario_.main_folder(), link);
    if (error == 0) touch_all();
    return fmt::format("exchange folder {} for a link to another, or back: {}", scenario_.main_folder(),
                       text_for(error));
}

std::string Mutator::point_link_elsewhere(Rng& rng) {
    const std::string to = rng.pick(scenario_.plain_names());
    const int error = put_link(scenario_.folder() + "/link.img", to);
    if (error == 0) touch_all();
    return fmt::format("let link.img lead to '{}': {}", to, text_for(error));
}

std::string Mutator::exchange_nodes(Rng& rng) {
    const auto loops = others_.attached_loops();
    if (loops.empty()) return "no node to exchange";
    const std::string fresh = scenario_.fresh_path("node-new");
    const ForeignLoop& loop = *loops[rng.below(loops.size())];
    int error = make_block_node(fresh, loop.loop.number);
    const std::string place = alias_path(scenario_, 0);
    if (error == 0)
        error = ::access(place.c_str(), F_OK) == 0 ? mediarig::claim_scenarios::exchange(fresh, place)
                                                   : (::rename(fresh.c_str(), place.c_str()) == 0 ? 0 : errno);
    if (error == 0) touch_all();
    return fmt::format("let node {} be {}: {}", place, loop_node(loop.loop.number), text_for(error));
}

std::string Mutator::change_rights(Rng& rng, const Focus& focus) {
    const int file = file_for(rng, focus);
    const std::string name = name_for(rng, file);
    const mode_t mode = rng.chance(50) ? 0444 : 0600;
    const int error = ::chmod(name.c_str(), mode) == 0 ? 0 : errno;
    touch(file);
    return fmt::format("chmod {:o} '{}': {}", mode, name, text_for(error));
}

std::string Mutator::change_length(Rng& rng, const Focus& focus) {
    const int index = file_for(rng, focus);
    File& file = scenario_.files()[static_cast<std::size_t>(index)];
    const std::string name = name_for(rng, index);
    const std::uint64_t size = rng.chance(60) || file.size <= mib ? file.size + mib : file.size - mib;
    const int error = ::truncate(name.c_str(), static_cast<off_t>(size)) == 0 ? 0 : errno;
    if (error == 0) {
        cut(file.seen, size);
        file.size = size;
        touch(index);
    }
    return fmt::format("truncate '{}' to {} KiB: {}", name, size >> 10, text_for(error));
}

} // namespace mediarig::claim_scenarios

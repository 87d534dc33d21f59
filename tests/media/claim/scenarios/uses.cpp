// SPDX-License-Identifier: GPL-3.0-or-later
// The changes that start a use, and the change that ends it.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "tests/media/claim/scenarios/mutations.hpp"

namespace mediarig::claim_scenarios {
namespace {

std::string shown(const Range& range) {
    return fmt::format("{}-{} KiB", range.begin >> 10, range.end >> 10);
}

/// Initial content of the file at `at`, if a volume begins there.
ContentKind content_at(const File& file, std::uint64_t at) {
    for (const Content& content : file.contents)
        if (content.range.begin == at) return content.kind;
    return ContentKind::data;
}

} // namespace

std::string Mutator::use(Rng rng, const Focus& focus) {
    switch (rng.weighted({38, 8, 24, 30})) {
        case 0:
            return use_through_loop(rng, focus);
        case 1:
            return use_partition(rng, focus);
        case 2:
            return use_file(rng, focus);
        default:
            return use_of_matrix(rng, focus);
    }
}

ForeignLoop* Mutator::attach_over(Rng& rng, int file, const Content* content, std::string& told) {
    const File& on = scenario_.files()[static_cast<std::size_t>(file)];
    LoopSetup setup;
    Range range{0, on.size};
    if (content != nullptr && (content->range.begin > 0 || rng.chance(30))) {
        range = content->range;
    } else if (rng.chance(25) && on.size > mib) {
        const std::uint64_t first = rng.below(on.size / mib);
        range = {first * mib, std::min(on.size, (first + 1 + rng.below(4)) * mib)};
    }
    setup.offset = range.begin;
    setup.length = range.end == on.size && rng.chance(50) ? 0 : range.end - range.begin;
    setup.read_only = rng.chance(10);
    setup.direct_io = rng.chance(25);
    setup.partition_scan = rng.chance(15);
    if (rng.chance(5)) setup.sector = 4096;

    std::string backing = name_for(rng, file);
    ForeignLoop made{.file = file, .range = range, .read_only = setup.read_only};
    // Attach a loop device to another loop device.
    const auto below = others_.attached_loops();
    if (rng.chance(15) && !below.empty()) {
        const ForeignLoop& lower = *below[rng.below(below.size())];
        if (lower.file == file && lower.range.contains(range)) {
            backing = loop_node(lower.loop.number);
            setup.offset = range.begin - lower.range.begin;
            setup.length = range.end - range.begin;
            made.on_loop = true;
        }
    }
    const int error = attach(backing, setup, made.loop);
    told = fmt::format("attach {} of '{}'{} to {}: {}", shown(range), backing, setup.read_only ? " read-only" : "",
                       made.loop.number >= 0 ? loop_node(made.loop.number) : "a loop device", text_for(error));
    if (error != 0) return nullptr;
    others_.loops.push_back(std::move(made));
    return &others_.loops.back();
}

std::string Mutator::attach_loop(Rng& rng, int file) {
    std::string told;
    attach_over(rng, file, nullptr, told);
    return told;
}

std::string Mutator::use_through_loop(Rng& rng, const Focus& focus) {
    // Use the claimed device itself: the claim must exclude other users.
    if (focus.claimed_loop >= 0 && rng.chance(30))
        return use_device(rng, focus.claimed_loop, focus.claimed_file, focus.claimed_range, "the claimed ");
    const auto attached = others_.attached_loops();
    if (!attached.empty() && rng.chance(35)) {
        const ForeignLoop& loop = *attached[rng.below(attached.size())];
        return use_device(rng, loop.loop.number, loop.file, loop.range, "");
    }
    const int file = file_for(rng, focus);
    std::vector<const Content*> volumes;
    for (const Content& content : scenario_.files()[static_cast<std::size_t>(file)].contents)
        if (content.kind == ContentKind::ext4 || content.kind == ContentKind::erofs ||
            content.kind == ContentKind::swap)
            volumes.push_back(&content);
    std::string told;
    const Content* const content = volumes.empty() ? nullptr : volumes[rng.below(volumes.size())];
    const ForeignLoop* loop = attach_over(rng, file, content, told);
    if (loop == nullptr) return told;
    return told + "; " + use_device(rng, loop->loop.number, file, loop->range, "");
}

std::string Mutator::use_device(Rng& rng, int number, int file, const Range& range, const std::string& what) {
    const std::string node = loop_node(number);
    const ContentKind kind = content_at(scenario_.files()[static_cast<std::size_t>(file)], range.begin);
    Use use{.file = file, .range = range, .device = number, .within = {0, range.end - range.begin}};
    int error = 0;
    const bool mountable = kind == ContentKind::ext4 || kind == ContentKind::erofs;
    if (mountable && rng.chance(85)) {
        const std::string place = scenario_.fresh_path("mount");
        const bool elsewhere = rng.chance(30);
        use.kind = elsewhere ? UseKind::loop_mount_elsewhere : UseKind::loop_mount;
        use.mount_point = place;
        error = elsewhere ? mount_elsewhere(scenario_.base(), node, place, name_of(kind), use.holder)
                          : mount_read_only(node, place, name_of(kind));
        use.text =
            fmt::format("mount {}{} ({}){}", what, node, name_of(kind), elsewhere ? " in another namespace" : "");
    } else if (kind == ContentKind::swap && rng.chance(85)) {
        use.kind = UseKind::loop_swap;
        use.swap = node;
        error = swap_on(node);
        use.text = fmt::format("swapon {}{}", what, node);
    } else {
        use.kind = UseKind::loop_exclusive;
        use.fd = Descriptor(::open(node.c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
        error = use.fd ? 0 : errno;
        use.text = fmt::format("open {}{} with O_EXCL", what, node);
    }
    const std::string told = fmt::format("{} ({} of '{}'): {}", use.text, shown(range),
                                         scenario_.files()[static_cast<std::size_t>(file)].name, text_for(error));
    if (error != 0 && !use.mount_point.empty() && kind == ContentKind::ext4)
        others_.failed_mounts.push_back({file, {range.begin, range.begin + block_size}});
    if (error == 0) others_.add(std::move(use));
    return told;
}

std::string Mutator::use_partition(Rng& rng, const Focus& focus) {
    std::vector<ForeignLoop*> loops;
    for (ForeignLoop* loop : others_.attached_loops())
        if (!loop->on_loop && loop->range.end - loop->range.begin >= 2 * mib) loops.push_back(loop);
    if (loops.empty()) return attach_loop(rng, file_for(rng, focus));
    ForeignLoop& loop = *loops[rng.below(loops.size())];
    const std::uint64_t start = (1 + rng.below((loop.range.end - loop.range.begin) / mib - 1)) * mib;
    const int number = ++loop.partitions;
    const int error = add_partition(loop.loop.fd.get(), number, start, mib);
    const std::string node = partition_node(loop.loop.number, number);
    std::string told = fmt::format("add partition {} of 1 MiB at {} KiB: {}", node, start >> 10, text_for(error));
    if (error != 0) return told;

    const Range range{loop.range.begin + start, loop.range.begin + start + mib};
    const File& file = scenario_.files()[static_cast<std::size_t>(loop.file)];
    const ContentKind kind = content_at(file, range.begin);
    Use use{.file = loop.file, .range = range, .device = loop.loop.number, .within = {start, start + mib}};
    int used = 0;
    if (kind == ContentKind::ext4 || kind == ContentKind::erofs) {
        use.kind = UseKind::partition_mount;
        use.mount_point = scenario_.fresh_path("mount");
        used = mount_read_only(node, use.mount_point, name_of(kind));
        use.text = "mount " + node;
    } else {
        use.kind = UseKind::partition_exclusive;
        use.fd = Descriptor(::open(node.c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
        used = use.fd ? 0 : errno;
        use.text = "open " + node + " with O_EXCL";
    }
    told += fmt::format("; {} ({} of '{}'): {}", use.text, shown(range), file.name, text_for(used));
    if (used != 0 && kind == ContentKind::ext4)
        others_.failed_mounts.push_back({loop.file, {range.begin, range.begin + block_size}});
    if (used == 0) others_.add(std::move(use));
    return told;
}

std::string Mutator::use_file(Rng& rng, const Focus& focus) {
    const int index = file_for(rng, focus);
    const File& file = scenario_.files()[static_cast<std::size_t>(index)];
    const std::string name = name_for(rng, index);
    Use use{.file = index, .range = {0, file.size}};
    const ContentKind head = content_at(file, 0);
    if (head == ContentKind::swap && scenario_.backing() == Backing::ext4 && rng.chance(60)) {
        const int error = swap_on(name);
        const std::string told = fmt::format("swapon '{}': {}", name, text_for(error));
        use.kind = UseKind::file_swap;
        use.swap = name;
        use.text = told;
        if (error == 0) others_.add(std::move(use));
        return told;
    }
    if (head == ContentKind::erofs && rng.chance(60)) {
        use.kind = UseKind::file_mount;
        use.mount_point = scenario_.fresh_path("mount");
        const int error = mount_read_only(name, use.mount_point, "erofs");
        use.text = fmt::format("mount '{}' (erofs) straight from the file: {}", name, text_for(error));
        const std::string told = use.text;
        if (error == 0) others_.add(std::move(use));
        return told;
    }
    if (rng.chance(45)) return lock_file(rng, index, name);

    const bool reading = rng.chance(20);
    use.fd = Descriptor(::open(name.c_str(), (reading ? O_RDONLY : O_RDWR) | O_CLOEXEC));
    if (!use.fd) return fmt::format("open '{}': {}", name, text_for(errno));
    use.kind = reading ? UseKind::file_open_for_reading : UseKind::file_open_for_writing;
    use.text = fmt::format("open '{}' for {}", name, reading ? "reading" : "writing");
    if (!reading && rng.chance(40)) {
        use.mapped_length = file.size;
        use.mapped = ::mmap(nullptr, file.size, PROT_READ | PROT_WRITE, MAP_SHARED, use.fd.get(), 0);
        if (use.mapped == MAP_FAILED) use.mapped = nullptr;
        use.fd.close();
        use.kind = UseKind::file_mapped;
        use.text = fmt::format("map '{}' shared and close it", name);
    }
    const std::string told = use.text + ": ok";
    others_.add(std::move(use));
    return told;
}

std::string Mutator::lock_file(Rng& rng, int index, const std::string& name) {
    const File& file = scenario_.files()[static_cast<std::size_t>(index)];
    Use use{.file = index, .range = {0, file.size}};
    use.fd = Descriptor(::open(name.c_str(), O_RDWR | O_CLOEXEC));
    if (!use.fd) return fmt::format("open '{}' to lock it: {}", name, text_for(errno));
    int error = 0;
    switch (rng.below(4)) {
        case 0: // like a database
            use.kind = UseKind::file_write_lock;
            use.text = "OFD write lock on all of";
            error = lock_range(use.fd.get(), F_WRLCK, 0, 0);
            break;
        case 1:
            use.kind = UseKind::file_write_lock;
            use.text = "OFD write lock on one byte of";
            error = lock_range(use.fd.get(), F_WRLCK, 0x40000000, 1);
            break;
        case 2: // like QEMU
            use.kind = UseKind::file_read_lock;
            use.text = "OFD read locks on bytes 100 to 103 of";
            error = lock_range(use.fd.get(), F_RDLCK, 100, 4);
            break;
        default:
            use.kind = UseKind::file_flock;
            use.text = "flock on";
            error = ::flock(use.fd.get(), LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    }
    use.text += fmt::format(" '{}'", name);
    const std::string told = fmt::format("{}: {}", use.text, text_for(error));
    if (error == 0) others_.add(std::move(use));
    return told;
}

std::string Mutator::end_something(Rng& rng) {
    const auto standing = others_.standing();
    std::vector<Use*> mine;
    for (Use* use : standing)
        if (use->kind != UseKind::claimed && use->kind != UseKind::foreign_content) mine.push_back(use);
    if (!mine.empty() && rng.chance(70)) {
        Use& use = *mine[rng.below(mine.size())];
        return fmt::format("end of: {}: {}", use.text, text_for(others_.end(use)));
    }
    const auto loops = others_.attached_loops();
    if (loops.empty()) return "nothing to end";
    ForeignLoop& loop = *loops[rng.below(loops.size())];
    const int number = loop.loop.number;
    return fmt::format("detach {}: {}", loop_node(number), text_for(others_.detach_loop(loop)));
}

} // namespace mediarig::claim_scenarios

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/kernel/loop_map.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "host/base/descriptor.hpp"
#include "host/media/claim/linux/kernel/sysfs.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {
namespace {

/// Limit for loop devices on loop devices: losetup creates no cycle, but a race could show one.
constexpr int deepest_stack = 32;
constexpr std::uint64_t sector = 512; // unit of sysfs, whatever the sector size (block/genhd.c)

std::string cause(int error) {
    return std::strerror(error);
}

/// Retries on ENXIO: a loop device cannot be opened for a moment between LOOP_CLR_FD and the last close.
Descriptor open_loop(const std::string& node) {
    constexpr int times = 500;
    constexpr auto pause = std::chrono::milliseconds(2);
    for (int i = 1;; ++i) {
        Descriptor fd(::open(node.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
        if (fd || errno != ENXIO || i == times) return fd;
        std::this_thread::sleep_for(pause);
    }
}

/// Fallback without the right to open the device: resolves the backing path from this process, and reads the window
/// from sysfs.
void follow_path(LoopEntry& loop, const std::string& directory) {
    const auto offset = number_attribute(directory + "offset");
    const auto length = number_attribute(directory + "sizelimit");
    // Without a known window the device may show any part of its backing file.
    if (offset && *offset && length && *length) {
        loop.offset = {**offset};
        loop.length = {**length};
    }
    struct stat status {};
    if (loop.backing_file.empty() || ::stat(loop.backing_file.c_str(), &status) != 0) return;
    if (S_ISBLK(status.st_mode)) loop.device = DeviceNumber{major(status.st_rdev), minor(status.st_rdev)};
    if (S_ISREG(status.st_mode)) loop.file = FileIdentity{status.st_dev, status.st_ino};
}

/// Empty if the device is detached.
std::optional<LoopEntry> read_loop(const std::string& name, const AskLoop& ask) {
    const std::string at = block_class + name;
    const auto backing = read_file_if_there(at + "/loop/backing_file");
    if (backing && !*backing) return std::nullopt;
    const auto number_text = read_file_if_there(at + "/dev");
    const auto number = number_text && *number_text ? device_number(**number_text) : std::nullopt;
    if (!number) return std::nullopt; // removed since the listing

    LoopEntry loop;
    loop.name = name;
    loop.number = *number;
    if (backing) {
        // Remove only the newline: a path may end in a space.
        loop.backing_file = **backing;
        if (loop.backing_file.ends_with('\n')) loop.backing_file.pop_back();
    }
    const LoopAnswer answer = ask(loop);
    if (answer == LoopAnswer::detached) return std::nullopt;
    if (answer == LoopAnswer::not_told) follow_path(loop, at + "/loop/");
    return loop;
}

/// The range [offset, offset + length) of `below`; length 0: to the end.
ByteRange part_of(const ByteRange& below, std::uint64_t offset, std::uint64_t length) {
    const auto sum = [](std::uint64_t a, std::uint64_t b) {
        return a > ByteRange::no_end - b ? ByteRange::no_end : a + b;
    };
    ByteRange part = below;
    part.start = sum(below.start, offset);
    part.end = length == 0 ? below.end : std::min(below.end, sum(part.start, length));
    return part;
}

} // namespace

bool overlaps(const ByteRange& a, const ByteRange& b) {
    const bool same_bottom = a.file == b.file && (a.file || a.disk == b.disk);
    return same_bottom && a.start < b.end && b.start < a.end;
}

ByteRange whole_file(FileIdentity file) {
    return {.file = file, .disk = {}, .start = 0, .end = ByteRange::no_end};
}

LoopAnswer ask_loop(LoopEntry& loop) {
    const std::string node = "/dev/" + loop.name;
    const Descriptor fd = open_loop(node);
    if (!fd) {
        loop.doubt = fmt::format("{} cannot be opened ({})", node, cause(errno));
        return LoopAnswer::not_told;
    }
    struct stat status {};
    const bool same = ::fstat(fd.get(), &status) == 0 && S_ISBLK(status.st_mode) &&
                      DeviceNumber{major(status.st_rdev), minor(status.st_rdev)} == loop.number;
    if (!same) {
        loop.doubt = node + " is another device than the kernel's " + loop.name;
        return LoopAnswer::not_told;
    }
    struct loop_info64 info {};
    if (::ioctl(fd.get(), LOOP_GET_STATUS64, &info) != 0) {
        if (errno == ENXIO) return LoopAnswer::detached;
        loop.doubt = fmt::format("{} does not say what it stands on ({})", node, cause(errno));
        return LoopAnswer::not_told;
    }
    loop.offset = {info.lo_offset};
    loop.length = {info.lo_sizelimit};
    // For a block device lo_inode is the inode of a node, and one device may have many nodes.
    if (info.lo_rdevice != 0) {
        loop.device = DeviceNumber{major(info.lo_rdevice), minor(info.lo_rdevice)};
    } else {
        loop.file = FileIdentity{info.lo_device, info.lo_inode};
    }
    return LoopAnswer::told;
}

Result<LoopMap> LoopMap::read(const AskLoop& ask) {
    const auto names = block_names();
    if (!names) return fail(names.error());
    LoopMap map;
    for (const std::string& name : *names) {
        if (!is_numbered(name, "loop")) continue;
        if (auto entry = read_loop(name, ask)) map.entries_.push_back(std::move(*entry));
    }
    return map;
}

const LoopEntry* LoopMap::find(DeviceNumber number) const {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const LoopEntry& loop) { return loop.number == number; });
    return found == entries_.end() ? nullptr : &*found;
}

std::optional<ByteRange> LoopMap::range_of(DeviceNumber number) const {
    return range_below(number, 0);
}

std::optional<ByteRange> LoopMap::range_of_loop(const LoopEntry& loop, int depth) const {
    std::optional<ByteRange> below;
    if (loop.file) below = whole_file(*loop.file);
    if (loop.device) below = range_below(*loop.device, depth + 1);
    if (!below) return std::nullopt;
    return part_of(*below, loop.offset.count, loop.length.count);
}

std::optional<ByteRange> LoopMap::range_below(DeviceNumber number, int depth) const {
    if (depth > deepest_stack) return std::nullopt;
    if (const LoopEntry* loop = find(number)) return range_of_loop(*loop, depth);
    const ByteRange whole{.file = {}, .disk = number, .start = 0, .end = ByteRange::no_end};
    const std::string at = device_directory(fmt::format("/sys/dev/block/{}:{}", number.major, number.minor));
    if (at.empty()) return std::nullopt;
    const auto partition = read_file_if_there(at + "/partition");
    if (!partition) return std::nullopt;
    if (!*partition) return whole;

    const auto start = number_attribute(at + "/start"), size = number_attribute(at + "/size");
    const auto disk_text = read_file_if_there(parent_path(at) + "/dev");
    const auto disk = disk_text && *disk_text ? device_number(**disk_text) : std::nullopt;
    if (!start || !*start || !size || !*size || !disk) return std::nullopt;
    const auto below = range_below(*disk, depth + 1);
    // A partition of size 0 shows nothing, but part_of() takes length 0 as "to the end".
    if (!below || **size == 0) return std::nullopt;
    return part_of(*below, **start * sector, **size * sector);
}

std::vector<const LoopEntry*> LoopMap::showing(const ByteRange& range) const {
    std::vector<const LoopEntry*> found;
    for (const LoopEntry& loop : entries_) {
        const auto shown = range_of_loop(loop, 0);
        if (shown && overlaps(*shown, range)) found.push_back(&loop);
    }
    return found;
}

std::vector<std::string> LoopMap::doubts() const {
    std::vector<std::string> lines;
    for (const LoopEntry& loop : entries_) {
        if (range_of_loop(loop, 0)) continue;
        const std::string why = loop.doubt.empty() ? "the kernel does not report its place" : loop.doubt;
        lines.push_back(
            fmt::format("it is not known what {} shows: {}, and its backing file {} cannot be seen from here",
                        loop.name, why, typeable(loop.backing_file)));
    }
    return lines;
}

Result<std::vector<std::string>> loops_over(DeviceNumber number, const std::vector<DeviceNumber>& own) {
    const auto loops = LoopMap::read();
    if (!loops) return fail(loops.error());
    const auto range = loops->range_of(number);
    if (!range)
        return fail(Errc::io_failed,
                    fmt::format("it is not known what device {}:{} shows", number.major, number.minor));
    std::vector<std::string> nodes;
    for (const LoopEntry* loop : loops->showing(*range))
        if (loop->number != number && std::find(own.begin(), own.end(), loop->number) == own.end())
            nodes.push_back("/dev/" + loop->name);
    return nodes;
}

} // namespace mediarig::media

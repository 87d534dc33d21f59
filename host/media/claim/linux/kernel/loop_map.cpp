// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/kernel/loop_map.hpp"

#include <fmt/format.h>
#include <linux/loop.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "host/media/claim/linux/kernel/bounded_calls.hpp"
#include "host/media/claim/linux/kernel/mount_table.hpp"
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

/// Local file systems never return these errors for an open file: the server of the file is gone.
bool is_of_gone_server(int error) {
    return error == ENOTCONN || error == ECONNABORTED || error == ESTALE;
}

/// Local file systems return these errors for an open file after damage or a removal of their disk. A device node never
/// causes them.
bool is_of_broken_file_system(int error) {
    return error == EIO || error == EUCLEAN || error == ESHUTDOWN;
}

/// Queries to the kernel during one reading of all loop devices. Each has a time limit.
class Questions {
public:
    explicit Questions(const LoopQuery& ask) : ask_(ask) {}

    LoopAnswer about(LoopEntry& loop) { return ask_ ? ask_(loop) : status(loop); }

    /// For a kernel that does not answer: resolves the path in this process, and takes the window from sysfs.
    void follow_path(LoopEntry& loop, const std::string& directory) {
        const auto offset = number_attribute(directory + "offset");
        const auto length = number_attribute(directory + "sizelimit");
        // Without a known window, the device may show any part of its backing file or device.
        if (offset && *offset && length && *length) {
            loop.offset = {**offset};
            loop.length = {**length};
        }
        if (loop.backing_file.empty() || loop.served) return;
        struct stat status {};
        const int error = ask_ ? (::stat(loop.backing_file.c_str(), &status) == 0 ? 0 : errno)
                               : calls_.stat(loop.backing_file, status);
        loop.served = is_of_gone_server(error) || (error == ETIMEDOUT && is_on_served(loop.backing_file));
        if (error != 0) return;
        if (S_ISBLK(status.st_mode)) loop.device = DeviceNumber{major(status.st_rdev), minor(status.st_rdev)};
        if (S_ISREG(status.st_mode)) loop.file = FileIdentity{status.st_dev, status.st_ino};
    }

private:
    LoopAnswer status(LoopEntry& loop) {
        const std::string node = "/dev/" + loop.name;
        const auto no_answer = [&](const std::string& why) {
            loop.doubt = why;
            return LoopAnswer::not_told;
        };
        BoundedCalls::LoopStatus found;
        if (const int error = calls_.loop_status(node, found); error != 0)
            return no_answer(error == ETIMEDOUT ? node + " does not respond"
                                                : fmt::format("{} cannot be opened ({})", node, cause(error)));
        const bool same = S_ISBLK(found.node.st_mode) &&
                          DeviceNumber{major(found.node.st_rdev), minor(found.node.st_rdev)} == loop.number;
        if (!same) return no_answer(node + " is another device than the kernel's " + loop.name);
        if (found.failed_status == ENXIO) return LoopAnswer::detached;
        if (found.failed_status != 0) {
            loop.served = is_of_gone_server(found.failed_status);
            loop.broken_file = is_of_broken_file_system(found.failed_status);
            return no_answer(fmt::format("{} does not report its backing file ({})", node, cause(found.failed_status)));
        }
        const loop_info64& info = found.info;
        loop.offset = {info.lo_offset};
        loop.length = {info.lo_sizelimit};
        // For a block device the inode belongs to its node, and a device can have many nodes.
        if (info.lo_rdevice != 0) {
            loop.device = DeviceNumber{major(info.lo_rdevice), minor(info.lo_rdevice)};
        } else {
            loop.file = FileIdentity{info.lo_device, info.lo_inode};
        }
        return LoopAnswer::told;
    }

    bool is_on_served(const std::string& path) {
        if (!mounts_) mounts_ = mounts_of_this_thread().value_or(std::vector<MountEntry>());
        return crosses_served_mount(*mounts_, path);
    }

    const LoopQuery& ask_;
    BoundedCalls calls_;
    std::optional<std::vector<MountEntry>> mounts_;
};

/// Returns nothing if the loop device is detached.
std::optional<LoopEntry> read_loop(const std::string& name, Questions& questions) {
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
    const LoopAnswer answer = questions.about(loop);
    if (answer == LoopAnswer::detached) return std::nullopt;
    if (answer == LoopAnswer::not_told) questions.follow_path(loop, at + "/loop/");
    return loop;
}

/// "sda" for "sda1", "mmcblk0" for "mmcblk0p2"; other names are returned as they are.
std::string disk_of_partition(const std::string& name) {
    constexpr const char* digits = "0123456789";
    const std::size_t end = name.find_last_not_of(digits);
    if (end == std::string::npos || end + 1 == name.size()) return name;
    const bool p = name[end] == 'p' && end > 0 && name.find_last_of(digits, end - 1) == end - 1;
    return name.substr(0, p ? end : end + 1);
}

/// True if a device that was removed from the kernel may have been this disk or one of its partitions.
bool may_have_been_part(const LoopEntry& loop, DeviceNumber disk) {
    const std::string at = fmt::format("/sys/dev/block/{}:{}", disk.major, disk.minor);
    const std::string name = base_name(device_directory(at));
    if (name.empty()) return true;
    const std::string removed = base_name(loop.backing_file.substr(0, loop.backing_file.find(' ')));
    if (removed == name || disk_of_partition(removed) == name) return true;
    // The attribute "range" counts the disk's own device numbers; further partitions have numbers of another major.
    const auto count = number_attribute(at + "/range");
    return disk.major == loop.device->major && loop.device->minor >= disk.minor &&
           (!count || !*count || loop.device->minor < disk.minor + **count);
}

/// The range [offset, offset + length) of `below`; length 0 means up to the end.
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

Result<LoopMap> LoopMap::read(const LoopQuery& ask) {
    const auto names = block_names();
    if (!names) return fail(names.error());
    LoopMap map;
    Questions questions(ask);
    for (const std::string& name : *names) {
        if (!is_numbered(name, "loop")) continue;
        if (auto entry = read_loop(name, questions)) map.entries_.push_back(std::move(*entry));
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

std::string LoopMap::content_doubt(const LoopEntry& loop) const {
    if (range_of_loop(loop, 0)) return {};
    const std::string why = loop.doubt.empty() ? "the kernel does not report its range" : loop.doubt;
    return fmt::format(
        "the range of {} is unknown: {}, and its backing file {} is not visible here; detach it (losetup -d /dev/{}), "
        "then try again",
        loop.name, why, typeable(loop.backing_file), loop.name);
}

bool LoopMap::may_show(const LoopEntry& loop, const ByteRange& range, BackingStorage below, int depth) const {
    if (loop.served) return below == BackingStorage::served;
    if (loop.broken_file) return range.file.has_value();
    if (!loop.device || depth > deepest_stack) return true;
    if (const LoopEntry* lower = find(*loop.device)) return may_show(*lower, range, below, depth + 1);
    const std::string at =
        device_directory(fmt::format("/sys/dev/block/{}:{}", loop.device->major, loop.device->minor));
    if (!at.empty()) return true;
    // The kernel never removes an open partition alone, only together with its disk.
    return !range.file && may_have_been_part(loop, range.disk);
}

std::vector<std::string> LoopMap::doubts(const std::optional<ByteRange>& range, BackingStorage below) const {
    std::vector<std::string> lines;
    for (const LoopEntry& loop : entries_) {
        if (range && !may_show(loop, *range, below, 0)) continue;
        if (!range && loop.served && below == BackingStorage::local) continue;
        if (std::string doubt = content_doubt(loop); !doubt.empty()) lines.push_back(std::move(doubt));
    }
    return lines;
}

Result<std::vector<std::string>> loops_over(DeviceNumber number, const std::vector<DeviceNumber>& own) {
    const auto loops = LoopMap::read();
    if (!loops) return fail(loops.error());
    const auto range = loops->range_of(number);
    if (!range)
        return fail(Errc::io_failed,
                    fmt::format("the contents of device {}:{} are unknown", number.major, number.minor));
    std::vector<std::string> nodes;
    for (const LoopEntry* loop : loops->showing(*range))
        if (loop->number != number && std::find(own.begin(), own.end(), loop->number) == own.end())
            nodes.push_back("/dev/" + loop->name);
    return nodes;
}

} // namespace mediarig::media

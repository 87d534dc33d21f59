// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/kernel/open_by.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

#include "host/media/claim/linux/kernel/block_graph.hpp"
#include "host/media/claim/linux/kernel/process_search.hpp"

namespace mediarig::media {
namespace {

/// A descriptor that only names a file or device (O_PATH) does not count as a use.
bool uses_it(const std::string& process, const std::string& descriptor) {
    const auto flags = flags_of(process, descriptor);
    return !flags || (*flags & O_PATH) == 0;
}

bool leads_below(const std::string& link, const std::string& path) {
    std::error_code unreadable;
    const std::string target = std::filesystem::read_symlink(link, unreadable).string();
    return target.starts_with(path) && (target.size() == path.size() || target[path.size()] == '/');
}

/// An O_PATH descriptor also keeps its volume busy.
bool whatever_it_is(const std::string& /*process*/, const std::string& /*descriptor*/) {
    return true;
}

bool has_open(const std::string& process, ProcessSearch& search, const std::function<bool(const std::string&)>& same,
              bool (*counts)(const std::string& process, const std::string& descriptor) = uses_it) {
    return any_descriptor_of(process, search, [&](const std::string& descriptor, const std::string& link) {
        return same(link) && counts(process, descriptor);
    });
}

bool same_instant(const timespec& a, const timespec& b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool is_sought(const struct stat& found, const SoughtFile& sought) {
    const FileIdentity identity{found.st_dev, found.st_ino};
    if (std::ranges::find(sought.identities, identity) != sought.identities.end()) return true;
    // Compare attributes only for file systems without a device: an overlay, or FUSE that passes files through. Two
    // files of the same file system may have been made within one tick of its clock.
    if (!sought.also_as || major(found.st_dev) != 0 || found.st_dev == sought.also_as->st_dev) return false;
    return shows_same_file(found, *sought.also_as);
}

/// "08:01 4711 " as in /proc/PID/maps: hexadecimal device, decimal inode (proc(5)).
std::string as_in_maps(FileIdentity file) {
    return fmt::format(" {:02x}:{:02x} {} ", major(file.device), minor(file.device), file.inode);
}

} // namespace

bool shows_same_file(const struct stat& shown, const struct stat& file) {
    return (shown.st_mode & S_IFMT) == (file.st_mode & S_IFMT) && shown.st_mode == file.st_mode &&
           shown.st_size == file.st_size && shown.st_uid == file.st_uid && shown.st_gid == file.st_gid &&
           same_instant(shown.st_mtim, file.st_mtim) && same_instant(shown.st_ctim, file.st_ctim);
}

std::string open_by(DeviceNumber device, pid_t except) {
    ProcessSearch search(std::chrono::hours(1));
    const auto same = [&](const std::string& link) {
        const auto status = target_status(link);
        return status && S_ISBLK(status->st_mode) &&
               DeviceNumber{major(status->st_rdev), minor(status->st_rdev)} == device;
    };
    return processes_that([&](const std::string& process) { return has_open(process, search, same); }, except, search);
}

std::string users_below(const std::string& path) {
    ProcessSearch search(std::chrono::hours(1));
    const auto below = [&](const std::string& link) { return leads_below(link, path); };
    const auto uses = [&](const std::string& process) {
        return below(process + "/cwd") || below(process + "/root") || has_open(process, search, below, whatever_it_is);
    };
    return processes_that(uses, -1, search);
}

std::string open_by(const SoughtFile& file, pid_t except, ProcessSearch& search) {
    const auto same = [&](const std::string& link) {
        const auto status = target_status(link);
        return status && is_sought(*status, file);
    };
    return processes_that([&](const std::string& process) { return has_open(process, search, same); }, except, search);
}

std::string mapped_by(const SoughtFile& file, ProcessSearch& search) {
    std::vector<std::string> shown;
    for (const FileIdentity identity : file.identities) shown.push_back(as_in_maps(identity));
    const auto maps_it = [&](const std::string& process) {
        return any_line_of(process + "/maps", search, [&](std::string_view line) {
            if (std::any_of(shown.begin(), shown.end(),
                            [&](const std::string& one) { return line.find(one) != std::string_view::npos; }))
                return true;
            const auto mapping = file.also_as ? shared_mapping(process, line) : std::nullopt;
            const auto status = mapping ? target_status(mapping->link) : std::nullopt;
            return status && is_sought(*status, file);
        });
    };
    return processes_that(maps_it, -1, search);
}

} // namespace mediarig::media

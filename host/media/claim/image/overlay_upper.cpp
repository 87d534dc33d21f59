// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/image/overlay_upper.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "host/media/claim/linux/kernel/mount_table.hpp"

namespace mediarig::media {
namespace {

/// Mount through which the descriptor was opened.
std::optional<MountEntry> mount_of_descriptor(const Descriptor& file) {
    struct statx about {};
    if (::statx(file.get(), "", AT_EMPTY_PATH, STATX_MNT_ID, &about) != 0 || (about.stx_mask & STATX_MNT_ID) == 0)
        return std::nullopt;
    const auto table = mounts_of_this_thread();
    if (!table) return std::nullopt;
    const auto found = std::find_if(table->begin(), table->end(),
                                    [&](const MountEntry& entry) { return entry.id == about.stx_mnt_id; });
    if (found == table->end()) return std::nullopt;
    return *found;
}

/// Path relative to the root of the overlay: "a/b.img" for /mnt/b.img if its directory /a is mounted on /mnt.
std::optional<std::string> path_in_overlay(const MountEntry& mount, const std::string& path) {
    const std::string point = mount.mount_point == "/" ? "" : mount.mount_point;
    if (!path.starts_with(point + "/")) return std::nullopt;
    const std::string root = mount.root == "/" ? "" : mount.root;
    return (root + path.substr(point.size())).substr(1);
}

bool same_instant(const timespec& a, const timespec& b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/// An overlay reports its own device number, and sometimes the inode of the lower file. All other attributes are those
/// of the upper file.
bool shows(const struct stat& merged, const struct stat& upper) {
    return S_ISREG(upper.st_mode) && merged.st_mode == upper.st_mode && merged.st_size == upper.st_size &&
           merged.st_uid == upper.st_uid && merged.st_gid == upper.st_gid &&
           same_instant(merged.st_mtim, upper.st_mtim) && same_instant(merged.st_ctim, upper.st_ctim);
}

} // namespace

bool is_on_overlay(const Descriptor& file) {
    struct statfs about {};
    return ::fstatfs(file.get(), &about) == 0 && about.f_type == OVERLAYFS_SUPER_MAGIC;
}

std::optional<dev_t> device_of_mount(const Descriptor& file) {
    const auto mount = mount_of_descriptor(file);
    if (!mount) return std::nullopt;
    return makedev(mount->number.major, mount->number.minor);
}

bool is_below_overlay(const std::string& path) {
    std::vector<FileIdentity> folders;
    for (std::filesystem::path folder = std::filesystem::path(path).parent_path();; folder = folder.parent_path()) {
        struct stat status {};
        if (::stat(folder.c_str(), &status) == 0) folders.push_back({status.st_dev, status.st_ino});
        if (folder == folder.parent_path()) break;
    }
    const auto mounts = mounts_of_this_thread();
    if (!mounts) return true;
    return std::ranges::any_of(*mounts, [&](const MountEntry& mount) {
        const std::string upper = mount.file_system == "overlay" ? overlay_upper(mount.super_options) : std::string();
        struct stat status {};
        return !upper.empty() && ::stat(upper.c_str(), &status) == 0 &&
               std::ranges::find(folders, FileIdentity{status.st_dev, status.st_ino}) != folders.end();
    });
}

Result<Descriptor> find_upper_file(const process::FoundFile& file) {
    const auto unknown = [&](const char* why) {
        return fail(Errc::refused,
                    fmt::format("{} lies on an overlay, and the file below it cannot be found: {}", file.path, why));
    };
    const auto mount = mount_of_descriptor(file.descriptor);
    if (!mount || mount->file_system != "overlay") return unknown("its mount is not in /proc/thread-self/mountinfo");
    const std::string directory = overlay_upper(mount->super_options);
    const auto path = path_in_overlay(*mount, file.path);
    if (directory.empty() || !path) return unknown("its upper directory is not known");
    const Descriptor upper(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!upper) return unknown("its upper directory cannot be seen from here");

    open_how how{};
    how.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
    Descriptor below(static_cast<int>(::syscall(SYS_openat2, upper.get(), path->c_str(), &how, sizeof how)));
    struct stat merged {
    }, found{};
    const bool same = below && ::fstat(file.descriptor.get(), &merged) == 0 && ::fstat(below.get(), &found) == 0 &&
                      shows(merged, found);
    if (!same) return unknown("its upper directory holds another file under this name");
    return below;
}

} // namespace mediarig::media

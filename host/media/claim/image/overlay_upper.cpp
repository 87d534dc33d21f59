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

#include "host/media/claim/linux/kernel/bounded_calls.hpp"
#include "host/media/claim/linux/kernel/loop_map.hpp"
#include "host/media/claim/linux/kernel/mount_table.hpp"
#include "host/media/claim/linux/kernel/open_by.hpp"
#include "host/media/claim/linux/kernel/sysfs.hpp"
#include "host/media/claim/linux/kernel/usage.hpp"
#include "host/media/identity/medium.hpp"

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

/// True if `merged`, a file opened through an overlay, shows `upper`. An overlay reports its own device number, and
/// sometimes the inode number of the lower file; all other attributes are those of the upper file.
bool shows(const struct stat& merged, const struct stat& upper) {
    return S_ISREG(upper.st_mode) && shows_same_file(merged, upper);
}

/// An overlay as seen in one mount namespace.
struct SeenOverlay {
    MountEntry mount;
    std::string root; ///< root of that namespace: "/proc/812/root"; "" for the namespace of this process
    std::string whose;
};

struct SeenMounts {
    std::vector<SeenOverlay> overlays;
    std::vector<DeviceNumber> others; ///< file systems other than overlays
};

/// The mounts of every visible mount namespace. Empty if the table of this namespace cannot be read.
std::optional<SeenMounts> seen_mounts() {
    const auto own = mounts_of_this_thread();
    if (!own) return std::nullopt;
    SeenMounts found;
    const auto add = [&](const std::vector<MountEntry>& table, const std::string& root, const std::string& whose) {
        for (const MountEntry& mount : table) {
            if (mount.file_system == "overlay")
                found.overlays.push_back({mount, root, whose});
            else
                found.others.push_back(mount.number);
        }
    };
    add(*own, "", "");
    std::vector<std::string> processes = processes_in_other_namespaces();
    processes.insert(processes.begin(), "1");
    for (const std::string& process : processes) {
        const auto text = read_file_if_there("/proc/" + process + "/mountinfo");
        if (!text || !*text) continue;
        if (const auto table = parse_mountinfo(**text))
            add(*table, "/proc/" + process + "/root", fmt::format(" (in the mount namespace of process {})", process));
    }
    return found;
}

/// The upper directory of the overlay if it is unchanged since mounting: then its attributes equal those of the
/// overlay's root.
std::optional<FileIdentity> proved_upper(const SeenOverlay& overlay, BoundedCalls& calls) {
    const std::string directory = overlay_upper(overlay.mount.super_options);
    if (!directory.starts_with('/') || overlay.mount.root != "/") return std::nullopt;
    for (const std::string& path : {overlay.root + directory, directory}) {
        // The directory may change between the two calls.
        constexpr int times = 3;
        for (int i = 0; i < times; ++i) {
            struct stat merged {
            }, upper{};
            if (calls.stat(overlay.root + overlay.mount.mount_point + "/", merged) != 0 || calls.stat(path, upper) != 0)
                break;
            const bool this_mount = major(merged.st_dev) == overlay.mount.number.major &&
                                    minor(merged.st_dev) == overlay.mount.number.minor;
            if (this_mount && S_ISDIR(upper.st_mode) && shows_same_file(merged, upper))
                return FileIdentity{upper.st_dev, upper.st_ino};
        }
    }
    return std::nullopt;
}

/// True if the upper directory and the file are on different file systems: an overlay reports the size of the file
/// system of its upper directory.
bool is_on_another(const SeenOverlay& overlay, const Descriptor& file, BoundedCalls& calls) {
    const std::string root = overlay.root + overlay.mount.mount_point + "/";
    struct stat merged {};
    struct statfs of_overlay {
    }, of_file{};
    if (calls.stat(root, merged) != 0 || calls.statfs(root, of_overlay) != 0 || ::fstatfs(file.get(), &of_file) != 0)
        return false;
    const bool this_mount =
        major(merged.st_dev) == overlay.mount.number.major && minor(merged.st_dev) == overlay.mount.number.minor;
    return this_mount && (of_overlay.f_bsize != of_file.f_bsize || of_overlay.f_blocks != of_file.f_blocks);
}

/// The directories above a path, as far as this process can see them.
std::vector<FileIdentity> folders_of(const std::string& path, BoundedCalls& calls) {
    std::vector<FileIdentity> folders;
    for (std::filesystem::path folder = std::filesystem::path(path).parent_path();; folder = folder.parent_path()) {
        struct stat status {};
        if (calls.stat(folder, status) == 0) folders.push_back({status.st_dev, status.st_ino});
        if (folder == folder.parent_path()) return folders;
    }
}

/// Describes a loop device whose backing file has the same inode number, on a file system without a device: the loop
/// device may use the file through an overlay that is no longer in any mount table.
std::string loop_through_overlay(const process::FoundFile& file, const SeenMounts& mounts) {
    const auto loops = LoopMap::read();
    if (!loops) return "may be part of an overlay (" + loops.error().detail + ")";
    for (const LoopEntry& loop : loops->entries()) {
        const bool same = loop.file && loop.file->inode == file.status.st_ino &&
                          loop.file->device != file.status.st_dev && major(loop.file->device) == 0;
        if (!same) continue;
        const DeviceNumber device{major(loop.file->device), minor(loop.file->device)};
        if (std::ranges::find(mounts.others, device) == mounts.others.end())
            return fmt::format("may be the backing file of {} through an overlay", loop.name);
    }
    return {};
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

std::string overlay_over(const process::FoundFile& file) {
    const auto mounts = seen_mounts();
    if (!mounts) return "may be part of an overlay, because the table of mounts cannot be read";
    if (std::string loop = loop_through_overlay(file, *mounts); !loop.empty()) return loop;
    const std::vector<SeenOverlay>& overlays = mounts->overlays;
    if (overlays.empty()) return {};
    BoundedCalls calls;
    const std::vector<FileIdentity> folders = folders_of(file.path, calls);
    const auto mount = mount_of_descriptor(file.descriptor);
    const bool other_names = file.status.st_nlink > 1 || !mount || mount->root != "/";
    const auto covers = [&](FileIdentity directory) {
        return std::ranges::find(folders, directory) != folders.end() ||
               (other_names && directory.device == file.status.st_dev);
    };
    const auto where = [](const SeenOverlay& overlay) { return typeable(overlay.mount.mount_point) + overlay.whose; };

    std::vector<DeviceNumber> proved;
    const SeenOverlay* doubtful = nullptr;
    for (const SeenOverlay& overlay : overlays) {
        for (const std::string& layer : overlay_layers(overlay.mount.super_options)) {
            struct stat status {};
            if (layer.starts_with('/') && calls.stat(overlay.root + layer, status) == 0 &&
                covers({status.st_dev, status.st_ino}))
                return fmt::format("is in a directory of the overlay on {}", where(overlay));
        }
        if (overlay_upper(overlay.mount.super_options).empty()) continue;
        const auto upper = proved_upper(overlay, calls);
        if (upper || is_on_another(overlay, file.descriptor, calls)) proved.push_back(overlay.mount.number);
        if (!upper) continue;
        if (covers(*upper)) return fmt::format("is in the upper directory of the overlay on {}", where(overlay));
    }
    // One overlay may be visible in several namespaces: proving its upper directory in one namespace suffices.
    for (const SeenOverlay& overlay : overlays)
        if (!overlay_upper(overlay.mount.super_options).empty() &&
            std::ranges::find(proved, overlay.mount.number) == proved.end())
            doubtful = &overlay;
    if (doubtful == nullptr) return {};
    return fmt::format("may be part of the overlay on {}, whose upper directory {} cannot be identified",
                       where(*doubtful), typeable(overlay_upper(doubtful->mount.super_options)));
}

Result<Descriptor> find_upper_file(const process::FoundFile& file) {
    const auto unknown = [&](const char* why) {
        return fail(Errc::refused,
                    fmt::format("{} is on an overlay, and the file below it cannot be found: {}", file.path, why));
    };
    const auto mount = mount_of_descriptor(file.descriptor);
    if (!mount || mount->file_system != "overlay") return unknown("its mount is not in /proc/thread-self/mountinfo");
    const std::string directory = overlay_upper(mount->super_options);
    const auto path = path_in_overlay(*mount, file.path);
    if (directory.empty() || !path) return unknown("its upper directory is not known");
    // A relative path refers to the working directory of mount(8).
    if (!directory.starts_with('/')) return unknown("its upper directory was named from another folder");
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

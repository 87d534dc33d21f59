// SPDX-License-Identifier: GPL-3.0-or-later
/// /proc/PID/mountinfo and /proc/swaps. Source: proc(5).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

struct MountEntry {
    DeviceNumber number;     ///< major 0: an anonymous number (btrfs, overlay, ZFS, FUSE, memory, network)
    std::string mount_point; ///< unescaped
    std::string file_system; ///< "ext4"
    std::string source;      ///< as given to mount(2), unescaped: "/dev/sda1", "rpool/ROOT", "overlay"
    std::string super_options;
    std::uint64_t id{};  ///< as in stx_mnt_id of statx(2)
    std::string root;    ///< mounted directory of the file system, "/" for all of it; unescaped
    std::string options; ///< options of this mount only: "rw,nosuid,noatime"
    bool operator==(const MountEntry&) const = default;
};

/// Fails with bad_format and names the line: a table that cannot be parsed cannot prove that a device is not mounted.
[[nodiscard]] Result<std::vector<MountEntry>> parse_mountinfo(std::string_view text);

/// Mounts in the mount namespace of this thread. Fails with io_failed or bad_format.
[[nodiscard]] Result<std::vector<MountEntry>> mounts_of_this_thread();

struct SwapEntry {
    std::string path; ///< unescaped
    bool is_file{};   ///< swap file on a file system, not a device
    bool operator==(const SwapEntry&) const = default;
};

/// Fails with bad_format and names the line.
[[nodiscard]] Result<std::vector<SwapEntry>> parse_swaps(std::string_view text);

/// Directories of an overlay, from its super options ("rw,lowerdir=/a:/b,upperdir=/c,workdir=/w").
[[nodiscard]] std::vector<std::string> overlay_layers(std::string_view super_options);

/// Upper directory of an overlay; empty if the overlay is read-only.
[[nodiscard]] std::string overlay_upper(std::string_view super_options);

/// Mount that contains a path: the longest mount point that is a prefix, the last one if several are equal. Null if the
/// table has no root.
[[nodiscard]] const MountEntry* mount_of(const std::vector<MountEntry>& table, std::string_view path);
/// True if a server process or another machine supplies the bytes (FUSE, 9p, network). Such a file system contains
/// bytes of a local file or disk only through that server, which then uses the file or disk itself. The server may
/// never respond.
[[nodiscard]] bool is_served(std::string_view file_system);
/// True if the mount of an absolute path, or a mount above it, is served. Compares mount points only and follows no
/// links.
[[nodiscard]] bool crosses_served_mount(const std::vector<MountEntry>& table, std::string_view path);

} // namespace mediarig::media

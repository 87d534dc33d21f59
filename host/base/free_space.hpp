// SPDX-License-Identifier: GPL-3.0-or-later
/// Detects that the disk that holds an image is full. The kernel reports this to a writer of the loop device as an I/O
/// error, like a fault of the medium.
#pragma once

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cstdint>
#include <optional>
#include <string>

#include "common/units.hpp"
#include "host/base/result.hpp"

namespace mediarig {

/// Returns host_fault if the open `file` has holes and its file system has less space than `length` further bytes need.
/// Returns nothing otherwise, or if the free space is unknown. `name` appears in the message.
[[nodiscard]] inline std::optional<Error> disk_full(int file, Bytes length, const std::string& name) {
    constexpr std::uint64_t counted_in = 512; // st_blocks, stat(2)
    constexpr Bytes bookkeeping{1 << 20};     // metadata of the file system for the written data
    struct stat info {};
    struct statvfs system {};
    if (file < 0 || ::fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    if (static_cast<std::uint64_t>(info.st_blocks) >= static_cast<std::uint64_t>(info.st_size) / counted_in)
        return std::nullopt; // no further space needed
    if (::fstatvfs(file, &system) != 0 || system.f_blocks == 0)
        return std::nullopt; // FUSE drivers may not report sizes
    // The loop driver writes with root's rights, but not all of f_bfree is available to root: ext4 reserves up to 16
    // MiB (s_resv_clusters). f_bavail reaches 0 before the space of root does.
    const Bytes free_space{static_cast<std::uint64_t>(system.f_bavail) * system.f_frsize};
    if (free_space >= length + bookkeeping) return std::nullopt;
    return Error{Errc::host_fault,
                 "the disk that holds " + name +
                     " is full: the results on the image are not valid; free some space on the disk, and try again"};
}

} // namespace mediarig

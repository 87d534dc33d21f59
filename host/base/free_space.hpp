// SPDX-License-Identifier: GPL-3.0-or-later
/// Whether the disk below an image is full: the kernel tells whoever writes to its loop device of an I/O error, as of a
/// broken medium.
#pragma once

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cstdint>
#include <optional>
#include <string>

#include "common/units.hpp"
#include "host/base/result.hpp"

namespace mediarig {

/// host_fault where the open `file` has holes and the file system that holds it has less room than `length` bytes more
/// would take; nothing else, and where that is not known. `name` is for the text.
[[nodiscard]] inline std::optional<Error> full_below(int file, Bytes length, const std::string& name) {
    constexpr std::uint64_t counted_in = 512; // st_blocks, stat(2)
    constexpr Bytes bookkeeping{1 << 20};     // of the file system for what is written
    struct stat info {};
    struct statvfs system {};
    if (file < 0 || ::fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    if (static_cast<std::uint64_t>(info.st_blocks) >= static_cast<std::uint64_t>(info.st_size) / counted_in)
        return std::nullopt;                                                         // it needs no more
    if (::fstatvfs(file, &system) != 0 || system.f_blocks == 0) return std::nullopt; // FUSE drivers need not say
    // The loop driver writes with root's rights, but not all of f_bfree is for root either: ext4 keeps up to 16 MiB
    // from everybody (s_resv_clusters). When root has nothing left, others had nothing before.
    const Bytes room{static_cast<std::uint64_t>(system.f_bavail) * system.f_frsize};
    if (room >= length + bookkeeping) return std::nullopt;
    return Error{Errc::host_fault, "the disk that holds " + name +
                                       " is full: what was done on the image does not count; free some room on it, and "
                                       "try again"};
}

} // namespace mediarig

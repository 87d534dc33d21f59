// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/host_below.hpp"

#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include <algorithm>

#include "host/workload/job.hpp"
#include "host/workload/page_cache.hpp"

namespace mediarig::workload {
namespace {

/// st_blocks counts in these whatever the file system's blocks are (stat(2)).
constexpr std::uint64_t stat_block = 512;

/// The pages of such a file are where it is stored: below them lies nothing that they could hide.
bool stored_in_memory(int file) {
    struct statfs info {};
    if (::fstatfs(file, &info) != 0) return false;
    const auto magic = static_cast<std::uint32_t>(info.f_type);
    return magic == TMPFS_MAGIC || magic == RAMFS_MAGIC;
}

std::optional<Bytes> size_of(int file) {
    struct stat info {};
    if (::fstat(file, &info) != 0) return std::nullopt;
    if (!S_ISBLK(info.st_mode)) return Bytes{static_cast<std::uint64_t>(info.st_size)};
    std::uint64_t bytes = 0;
    if (::ioctl(file, BLKGETSIZE64, &bytes) != 0) return std::nullopt;
    return Bytes{bytes};
}

} // namespace

HostBelow HostBelow::of(const Target& target) {
    HostBelow below;
    below.file_ = target.host_file;
    below.path_ = target.host_path;
    switch (target.cache_below) {
        case Target::CacheBelow::none:
            break;
        case Target::CacheBelow::file:
            if (target.host_file < 0)
                below.cache_ = Cache::unknown;
            else if (!stored_in_memory(target.host_file))
                below.cache_ = Cache::of_file;
            break;
        case Target::CacheBelow::unknown:
            below.cache_ = Cache::unknown;
            break;
    }
    return below;
}

bool HostBelow::drop() const {
    if (cache_ != Cache::of_file) return cache_ == Cache::none;
    const auto size = size_of(file_);
    return size && drop_page_cache(file_, *size).verified();
}

std::optional<Error> HostBelow::full(Bytes length) const {
    struct stat info {};
    struct statvfs system {};
    if (file_ < 0 || ::fstat(file_, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    const auto stored = static_cast<std::uint64_t>(info.st_blocks) * stat_block;
    if (stored >= static_cast<std::uint64_t>(info.st_size)) return std::nullopt; // it needs no more room
    if (::fstatvfs(file_, &system) != 0 || system.f_blocks == 0) return std::nullopt;
    // The loop driver writes as root, to whom a file system gives what it keeps from others; by then these have
    // nothing.
    const Bytes room = Bytes{system.f_frsize} * system.f_bavail;
    if (room >= length + 1_MiB) return std::nullopt;
    const Bytes missing{static_cast<std::uint64_t>(info.st_size) - stored};
    return Error{Errc::io_failed, "the file system of this host that holds " + path_ + " is full (" +
                                      std::to_string(room.count) +
                                      " bytes free), which says nothing about the medium; make room for up to " +
                                      std::to_string(missing.count) + " bytes there, then start again"};
}

measure::Finding HostBelow::about_speed() const {
    return {.kind = measure::FindingKind::cache_suspected,
            .severity = measure::Severity::warning,
            .detail = cache_ == Cache::of_file
                          ? "the device stands on " + path_ +
                                ", which this host caches: that cache is emptied before anything is read back, but it "
                                "buffers writes and reads ahead, so speeds are partly those of this host"
                          : "a cache of this host below the device may have buffered writes and answered reads, so "
                            "speeds may be those of this host; test the medium on a device node of its own",
            .offset = {}};
}

measure::Finding HostBelow::doubt() const {
    return {.kind = measure::FindingKind::capacity_unclear,
            .severity = measure::Severity::warning,
            .detail = cache_ == Cache::of_file
                          ? "this host's cache of " + path_ +
                                ", on which the device stands, could not be emptied, so what was read back may come "
                                "from memory; close what else uses that file, or name the device below it"
                          : "what lies below the device is not known, so what was read back may come from a cache of "
                            "this host; test the medium on a device node of its own",
            .offset = {}};
}

} // namespace mediarig::workload

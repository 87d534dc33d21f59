// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/linux/host_below.hpp"

#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>

#include "host/base/free_space.hpp"
#include "host/workload/io/linux/page_cache.hpp"

namespace mediarig::workload {
namespace {

/// Memory file systems store a file in its page cache, so the cache cannot hide any storage below it.
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

HostBelow::Cache cache_below(const JobTarget& target) {
    switch (target.cache_below) {
        case JobTarget::CacheBelow::none:
            break;
        case JobTarget::CacheBelow::file:
            if (target.host_file < 0) return HostBelow::Cache::unknown;
            return stored_in_memory(target.host_file) ? HostBelow::Cache::none : HostBelow::Cache::of_file;
        case JobTarget::CacheBelow::unknown:
            return HostBelow::Cache::unknown;
    }
    return HostBelow::Cache::none;
}

} // namespace

LinuxHostBelow LinuxHostBelow::of(const JobTarget& target) {
    return {cache_below(target), target};
}

bool LinuxHostBelow::drop() const {
    if (cache() != Cache::of_file) return cache() == Cache::none;
    const auto size = size_of(file_);
    return size && drop_page_cache(file_, *size).verified();
}

std::optional<Error> LinuxHostBelow::full(Bytes length) const {
    return full_below(file_, length, path());
}

} // namespace mediarig::workload

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/linux/page_cache.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <vector>

namespace mediarig::workload {
namespace {

/// cachestat(2), since Linux 6.5. The system call number is the same on every architecture.
constexpr long cachestat_call = 451;
struct CacheRange {
    std::uint64_t offset, length;
};
struct CacheStat {
    std::uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

std::optional<Bytes> ask_cachestat(int fd, Bytes size) {
    CacheRange range{0, size.count};
    CacheStat stat{};
    if (::syscall(cachestat_call, fd, &range, &stat, 0) != 0) return std::nullopt;
    return Bytes{stat.cached} * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::optional<Bytes> ask_mincore(int fd, Bytes size) {
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    constexpr std::uint64_t window = std::uint64_t{1} << 30;
    std::uint64_t pages = 0;
    std::vector<unsigned char> present;
    for (std::uint64_t at = 0; at < size.count; at += window) {
        const std::size_t length = static_cast<std::size_t>(std::min(window, size.count - at));
        void* view = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, fd, static_cast<off_t>(at));
        if (view == MAP_FAILED) return std::nullopt;
        present.assign((length + page - 1) / page, 0);
        const int result = ::mincore(view, length, present.data());
        ::munmap(view, length);
        if (result != 0) return std::nullopt;
        for (const unsigned char bits : present) pages += bits & 1;
    }
    return Bytes{pages * page};
}

} // namespace

std::optional<Bytes> resident(int fd, Bytes size) {
    if (auto cached = ask_cachestat(fd, size)) return cached;
    return ask_mincore(fd, size);
}

CacheDrop drop_page_cache(int fd, Bytes size) {
    CacheDrop dropped;
    if (::fdatasync(fd) != 0) dropped.error = errno;
    // Linux skips pages that are still in the lists of another processor, so a retry may help.
    for (int attempt = 0; attempt < 3; ++attempt) {
        (void)::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        dropped.left = resident(fd, size);
        if (!dropped.left || dropped.left->count == 0) break;
    }
    return dropped;
}

} // namespace mediarig::workload

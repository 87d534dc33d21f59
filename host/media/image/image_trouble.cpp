// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/image/image_trouble.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>

#include "common/units.hpp"

namespace mediarig::media {
namespace {

/// A write of a suite is at most a few MiB: with less room than that the next one may have failed for it.
constexpr Bytes hardly_any = 4_MiB;

} // namespace

std::optional<Error> trouble_below(int image, Bytes end, const std::string& name) {
    struct stat file {};
    struct statvfs space {};
    if (::fstat(image, &file) != 0) return std::nullopt;
    if (static_cast<std::uint64_t>(file.st_size) < end.count)
        return Error{Errc::host_fault,
                     fmt::format("somebody shortened {} to {} bytes while it was tested: the results are "
                                 "discarded; make it again, and try again",
                                 name, file.st_size)};
    struct statx attributes {};
    if (::statx(image, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &attributes) == 0 &&
        (attributes.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) != 0)
        return Error{Errc::host_fault,
                     fmt::format("somebody has forbidden writes to {} (chattr +i or +a): the results are "
                                 "discarded; allow them, and try again",
                                 name)};
    if (::fstatvfs(image, &space) != 0 || space.f_blocks == 0) return std::nullopt; // FUSE drivers need not say
    constexpr blkcnt_t counted_in = 512;                                            // stat(2)
    if (file.st_blocks >= file.st_size / counted_in) return std::nullopt;
    // Blocks that are kept for root count as room: the kernel writes for a loop device with root's rights.
    const Bytes free{static_cast<std::uint64_t>(space.f_bfree) * space.f_frsize};
    if (free > hardly_any) return std::nullopt;
    return Error{Errc::host_fault, fmt::format("the disk that holds {} is full: what was done on the image does not "
                                               "count; free some room on it, and try again",
                                               name)};
}

ModificationWatch::ModificationWatch(int file) : events_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    const std::string path = fmt::format("/proc/self/fd/{}", file);
    if (events_ && ::inotify_add_watch(events_.get(), path.c_str(), IN_MODIFY) < 0) events_.close();
}

bool ModificationWatch::was_modified() const {
    std::array<char, 4096> events{};
    while (events_ && ::read(events_.get(), events.data(), events.size()) > 0) modified_ = true;
    return modified_;
}

} // namespace mediarig::media

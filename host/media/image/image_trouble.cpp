// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/image/image_trouble.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "common/units.hpp"
#include "host/full_below.hpp"

namespace mediarig::media {
namespace {

/// A write of a suite is at most a few MiB: with less room than that the next one may have failed for it.
constexpr Bytes longest_write = 4_MiB;

} // namespace

std::optional<Error> trouble_below(int image, Bytes end, const std::string& name) {
    struct stat file {};
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
    return full_below(image, longest_write, name);
}

ModificationWatch::ModificationWatch(int file, bool ours_is_direct)
    : events_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    const std::string path = fmt::format("/proc/self/fd/{}", file);
    const std::uint32_t events = IN_CLOSE_WRITE | (ours_is_direct ? IN_MODIFY : 0);
    if (events_ && ::inotify_add_watch(events_.get(), path.c_str(), events) < 0) events_.close();
}

const char* ModificationWatch::seen() const {
    alignas(inotify_event) std::array<char, 4096> events{};
    ssize_t got = 0;
    while (events_ && (got = ::read(events_.get(), events.data(), events.size())) > 0) {
        inotify_event event{};
        for (std::size_t at = 0; at + sizeof event <= static_cast<std::size_t>(got); at += sizeof event + event.len) {
            std::memcpy(&event, events.data() + at, sizeof event);
            // Too many to be kept: there were writes.
            modified_ = modified_ || (event.mask & (IN_MODIFY | IN_Q_OVERFLOW)) != 0;
            closed_ = closed_ || (event.mask & IN_CLOSE_WRITE) != 0;
        }
    }
    return modified_ ? "wrote to" : closed_ ? "had open for writing, or wrote through a loop device to" : nullptr;
}

} // namespace mediarig::media

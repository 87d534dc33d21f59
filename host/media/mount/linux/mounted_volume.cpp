// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/mount/linux/mounted_volume.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "host/media/mount/linux/holders.hpp"

namespace mediarig::media {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// A worn card may need long to take what is left in the cache; beyond this somebody has to look.
constexpr auto release_limit = 120s;
constexpr int look_again_ms = 10;

Result<void> write_back(const std::string& mount_point) {
    const Descriptor root(::open(mount_point.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (root && ::syncfs(root.get()) == 0) return {};
    const int failed = errno;
    return fail(Errc::io_failed, fmt::format("writing back to the volume failed: {}{}", std::strerror(failed),
                                             failed == ENOTCONN ? " (its driver has ended)" : ""));
}

/// A mounted file system holds its device exclusively, whichever driver it has.
bool is_free(int device) {
    const Descriptor opened(::open(fmt::format("/proc/self/fd/{}", device).c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
    return opened || errno != EBUSY; // a medium that was pulled out is held by nobody
}

} // namespace

Result<void> MountedVolume::take_down() {
    if (released_) return {};
    Result<void> written;
    if (attached_) {
        written = write_back(report_.mount_point);
        if (::umount2(report_.mount_point.c_str(), UMOUNT_NOFOLLOW) != 0) {
            const int failed = errno;
            if (failed == EBUSY)
                return fail(Errc::io_failed, fmt::format("cannot unmount {}: in use by {}", report_.mount_point,
                                                         holders_of(report_.mount_point)));
            return fail(Errc::io_failed,
                        fmt::format("cannot unmount {}: {}", report_.mount_point, std::strerror(failed)));
        }
        attached_ = false;
    }
    if (auto released = wait_for_release(); !released) return released;
    return written;
}

Result<void> MountedVolume::wait_for_release() {
    const auto until = Clock::now() + release_limit;
    // The driver has the device open, though not exclusively, until it ends: first wait for that.
    pollfd life{life_.get(), 0, 0};
    while (Clock::now() < until) {
        const bool ended = !life_ || (::poll(&life, 1, 0) == 1 && (life.revents & POLLHUP) != 0);
        if (ended && is_free(device_.descriptor.get())) {
            device_.descriptor.close();
            if (device_.view)
                if (auto given = device_.view->give_back(); !given) return given;
            released_ = true;
            return {};
        }
        ::poll(ended ? nullptr : &life, ended ? 0 : 1, look_again_ms);
    }
    return fail(Errc::timed_out, fmt::format("{} is unmounted, but {} still holds the device after {} s",
                                             report_.mount_point, report_.driver, release_limit.count()));
}

MountedVolume::~MountedVolume() {
    const auto unmounted = take_down();
    if (unmounted) return;
    spdlog::error("{}", unmounted.error().detail);
    if (attached_ && ::umount2(report_.mount_point.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0)
        spdlog::error("{} was detached by force: its device stays busy until the last file is closed",
                      report_.mount_point);
}

} // namespace mediarig::media

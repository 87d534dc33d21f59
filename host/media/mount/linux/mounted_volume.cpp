// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/mount/linux/mounted_volume.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <future>
#include <string>
#include <system_error>
#include <thread>

#include "host/media/mount/linux/unmount_volume.hpp"

namespace mediarig::media {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// A worn card may need a long time to write back cached data; after this limit the user must check the device.
constexpr auto release_limit = 120s;
constexpr auto hurried_limit = 2s;
constexpr auto look_again = 10ms;

/// A mounted file system holds its device exclusively, with any driver.
bool is_free(int device) {
    const Descriptor opened(::open(fmt::format("/proc/self/fd/{}", device).c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
    return opened || errno != EBUSY;
}

/// True if the FUSE driver is disconnected. A dying driver closes its connection before its other files, so reads may
/// fail while the process still exists. statfs always reaches the driver. A stopped driver does not answer, so the call
/// runs in a separate thread, which ends with the mount at the latest. If another file system answers, the guard has
/// removed the mount.
bool is_disconnected(const std::string& mount_point) {
    constexpr auto patience = 500ms;
    auto ask = std::packaged_task<bool()>([mount_point] {
        struct statfs answer {};
        if (::statfs(mount_point.c_str(), &answer) != 0) return errno == ENOTCONN || errno == ECONNABORTED;
        return static_cast<unsigned long>(answer.f_type) != FUSE_SUPER_MAGIC;
    });
    std::future<bool> answer = ask.get_future();
    try {
        std::thread(std::move(ask)).detach();
    } catch (const std::system_error&) {
        return false; // no thread is available: detect only the end of the process
    }
    return answer.wait_for(patience) == std::future_status::ready && answer.get();
}

} // namespace

void MountedVolume::note_death_of_driver() {
    const std::string how = driver_.death();
    trouble_ =
        Error{Errc::host_fault, fmt::format("{} ended{} while {} was mounted: the results are discarded; see this "
                                            "machine's log, and try again",
                                            report_.driver, how.empty() ? "" : " by " + how, device_.node)};
}

std::optional<Error> MountedVolume::backing_fault() {
    if (attached_ && driver_ && !trouble_ && !forced_ && (driver_.ended() || is_disconnected(report_.mount_point))) {
        (void)driver_.ended(driver_patience);
        note_death_of_driver();
    }
    return trouble_;
}

Result<void> MountedVolume::tear_down() {
    if (released_) return {};
    if (attached_ && driver_ && !trouble_ && !forced_ && driver_.ended()) note_death_of_driver();
    Result<void> outcome;
    if (attached_) {
        const auto unmounted = unmount_volume(report_.mount_point, driver_, hurry_);
        if (!unmounted && !unmounted.error().detached) return fail(unmounted.error().error);
        attached_ = false;
        if (!unmounted) outcome = fail(unmounted.error().error);
        if (unmounted && *unmounted == UnmountResult::by_force) forced_ = true;
    }
    if (auto released = wait_for_release(); !released) return released;
    // If this process killed the driver, its exit status is irrelevant.
    if (forced_) return {};
    const std::string death = driver_.death();
    if (!trouble_ && !death.empty())
        trouble_ = Error{Errc::host_fault, fmt::format("{} ended by {} while it wrote back to {}: the results "
                                                       "are discarded; see this machine's log, and try again",
                                                       report_.driver, death, device_.node)};
    if (trouble_) return fail(*trouble_);
    return outcome;
}

Result<void> MountedVolume::wait_for_release() {
    auto until = Clock::now() + release_limit;
    bool hurried = false;
    // The driver has the device open until it ends, though not exclusively: wait for the end of the driver first.
    while (Clock::now() < until) {
        if (!hurried && hurry_ && *hurry_) {
            hurried = true;
            until = std::min(until, Clock::now() + hurried_limit);
            if (!driver_.ended(driver_patience)) {
                driver_.kill();
                forced_ = true;
            }
        }
        const auto free = driver_.ended(look_again) ? is_reacquired() : Result<bool>(false);
        if (!free || *free) {
            device_.descriptor.close();
            released_ = true;
            if (!free) return fail(free.error());
            return device_.view ? device_.view->detach() : Result<void>{};
        }
        if (driver_.ended()) ::poll(nullptr, 0, static_cast<int>(look_again.count()));
    }
    return fail(Errc::timed_out, fmt::format("{} is unmounted, but {} still holds the device: it is released when "
                                             "the device responds or is unplugged",
                                             report_.mount_point, report_.driver));
}

Result<bool> MountedVolume::is_reacquired() {
    // The claim held the medium below the mounted loop device throughout.
    if (device_.view && device_.view->through_loop()) return is_free(device_.descriptor.get());
    for (const bool was_free : {false, true}) {
        const auto held = medium_.reacquire();
        if (held) return true;
        // The claim is void, or the device is free but cannot be opened, for example because the medium became
        // write-protected.
        if (medium_.reading_descriptor() < 0 || (was_free && held.error().code == Errc::refused))
            return fail(held.error());
        // An unplugged medium has no holder, not even the claim of this process.
        if (held.error().code != Errc::refused) return true;
        if (!is_free(device_.descriptor.get())) return false;
    }
    return false;
}

MountedVolume::~MountedVolume() {
    const auto unmounted = tear_down();
    if (unmounted) return;
    spdlog::error("{}", unmounted.error().detail);
    if (attached_ && ::umount2(report_.mount_point.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0)
        spdlog::error("{} was detached by force: its device stays busy until the last file is closed",
                      report_.mount_point);
}

} // namespace mediarig::media

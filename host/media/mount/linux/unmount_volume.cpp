// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/mount/linux/unmount_volume.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "host/base/descriptor.hpp"
#include "host/media/claim/linux/kernel/open_by.hpp"

namespace mediarig::media {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;
using Answer = tl::expected<UnmountResult, UnmountError>;

constexpr auto unmount_look_again = 10ms;
/// Delay for a program that another worker is starting: between fork and exec it has copies of this volume's
/// descriptors.
constexpr auto unmount_busy = 2s;
/// Maximum time from the end of a killed driver to the return of the call that it blocked; observed: below 1 ms.
constexpr auto unmount_after_kill = 2s;

Result<void> write_back(const std::string& mount_point) {
    const Descriptor root(::open(mount_point.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (root && ::syncfs(root.get()) == 0) return {};
    const int failed = errno;
    return fail(Errc::io_failed, fmt::format("writing back to the volume failed: {}{}", std::strerror(failed),
                                             failed == ENOTCONN ? " (its driver has ended)" : ""));
}

/// State shared with a thread that may block longer than its caller waits.
struct Work {
    std::mutex mutex;
    std::condition_variable settled;
    std::optional<Answer> answer;

    void settle(Answer with) {
        const std::lock_guard lock(mutex);
        if (!answer) answer = std::move(with);
        settled.notify_all();
    }
    [[nodiscard]] bool is_settled(std::chrono::milliseconds within) {
        std::unique_lock lock(mutex);
        return settled.wait_for(lock, within, [&] { return answer.has_value(); });
    }
};

Answer unmount_in_order(const std::string& mount_point) {
    const auto written = write_back(mount_point);
    const auto patience = SteadyClock::now() + unmount_busy;
    int failed = 0;
    while (::umount2(mount_point.c_str(), UMOUNT_NOFOLLOW) != 0) {
        failed = errno;
        if (failed != EBUSY || SteadyClock::now() >= patience) break;
        failed = 0;
        std::this_thread::sleep_for(unmount_look_again);
    }
    if (failed != 0) {
        const std::string users = failed == EBUSY ? users_below(mount_point) : "";
        const std::string why =
            failed != EBUSY ? std::strerror(failed) : "in use by " + (users.empty() ? "an unknown process" : users);
        return tl::unexpected(
            UnmountError{{Errc::io_failed, fmt::format("cannot unmount {}: {}", mount_point, why)}, false});
    }
    if (!written) return tl::unexpected(UnmountError{written.error(), true});
    return UnmountResult::in_order;
}

bool is_true(const std::atomic<bool>* flag) {
    return flag != nullptr && flag->load(std::memory_order_relaxed);
}

void start(const std::shared_ptr<Work>& work, Answer (*what)(const std::string&), const std::string& mount_point) {
    std::thread([work, what, mount_point] { work->settle(what(mount_point)); }).detach();
}

Answer detach(const std::string& mount_point) {
    // EINVAL means that the other thread has already unmounted the volume.
    if (::umount2(mount_point.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0 || errno == EINVAL)
        return UnmountResult::by_force;
    return tl::unexpected(
        UnmountError{{Errc::io_failed, fmt::format("cannot detach {}: {}", mount_point, std::strerror(errno))}, false});
}

} // namespace

Answer unmount_volume(const std::string& mount_point, const FuseDriver& driver,
                      const std::atomic<bool>* expedite_close) {
    const auto in_order = std::make_shared<Work>();
    if (!is_true(expedite_close)) {
        start(in_order, unmount_in_order, mount_point);
        while (!is_true(expedite_close))
            if (in_order->is_settled(unmount_look_again)) return std::move(*in_order->answer);
    }
    const auto forced = std::make_shared<Work>();
    start(forced, detach, mount_point);
    const auto patience = SteadyClock::now() + driver_patience;
    while (SteadyClock::now() < patience) {
        if (forced->is_settled(unmount_look_again) && driver.ended()) return std::move(*forced->answer);
        std::this_thread::sleep_for(1ms);
    }
    driver.kill();
    if (forced->is_settled(unmount_after_kill)) return std::move(*forced->answer);
    return tl::unexpected(UnmountError{
        {Errc::timed_out, fmt::format("{} cannot be unmounted: its device does not answer; it is released when "
                                      "the device responds or is unplugged",
                                      mount_point)},
        false});
}

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/mount/linux/unmount_guard.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "host/base/process/exiting.hpp"
#include "host/base/process/run_process.hpp"
#include "host/media/mount/linux/pipe_holders.hpp"

namespace mediarig::media {
namespace {

constexpr int look_again_ms = 20;
/// This time is longer than driver_patience, because no user waits for a killed agent and a worn card needs time. It is
/// shorter than two seconds, after which no mount, driver or folder may remain.
constexpr int rounds_before_kill = 1500 / look_again_ms;
constexpr int most_rounds = 60'000 / look_again_ms;

/// Data of the guard process. The process must not allocate, lock or throw, because it is forked from a multithreaded
/// program.
struct Watch {
    const char* mount_point;
    const char* folder;
    int lifeline;
    int proc;
    pid_t agent;
};

void close_all_but(std::array<int, 2> kept) {
    std::sort(kept.begin(), kept.end());
    unsigned next = 0;
    for (const int each : kept) {
        if (each < 0) continue;
        const auto number = static_cast<unsigned>(each);
        if (number > next) ::close_range(next, number - 1, 0);
        next = number + 1;
    }
    ::close_range(next, UINT_MAX, 0);
}

bool has_holder(const Watch& watch, ino_t pipe) {
    if (pipe == 0) return false;
    const int holder = open_pipe_holder(watch.proc, pipe, driver_life_number);
    if (holder >= 0) ::close(holder);
    return holder >= 0;
}

/// Message through the lifeline pipe.
struct Driver {
    std::uint64_t pipe;       ///< 0 if there is no driver
    std::uint64_t connection; ///< name in fusectl: the device number in the kernel's internal format
};

bool hung_up(int lifeline) {
    pollfd line{lifeline, 0, 0};
    return ::poll(&line, 1, 0) == 1 && (line.revents & POLLHUP) != 0;
}

/// `unmounting` is true while the kernel may wait for the driver.
[[noreturn]] void unmount_until_gone(const Watch& watch, const Driver& driver, std::atomic<bool>& unmounting) {
    for (int round = 0; round < most_rounds; ++round) {
        unmounting = true;
        const bool unmounted = ::umount2(watch.mount_point, MNT_DETACH | UMOUNT_NOFOLLOW) == 0;
        unmounting = false;
        if (unmounted) continue;
        // A thread of the agent may still be in mount(2).
        if (hung_up(watch.lifeline) && !has_holder(watch, driver.pipe)) break;
        ::poll(nullptr, 0, look_again_ms);
    }
    ::_exit(0);
}

/// Aborts the FUSE connection. Needs neither a mount point for fusectl nor a driver that reacts. Source:
/// Documentation/filesystems/fuse.rst.
void abort_connection(const Driver& driver) {
    const int context = ::fsopen("fusectl", FSOPEN_CLOEXEC);
    if (context < 0 || ::fsconfig(context, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) return;
    const int connections = ::fsmount(context, FSMOUNT_CLOEXEC, 0);
    std::array<char, 40> path{};
    std::snprintf(path.data(), path.size(), "%llu/abort", static_cast<unsigned long long>(driver.connection));
    const int file = ::openat(connections, path.data(), O_WRONLY | O_CLOEXEC);
    if (file >= 0) (void)!::write(file, "1", 1);
    for (const int each : {file, connections, context}) ::close(each);
}

[[noreturn]] void watch_over(const Watch& watch) {
    // Use a separate session: Ctrl-C is meant for the agent.
    ::setsid();
    // The guard keeps no copies of the agent's other descriptors, so that they close when the agent ends, above all its
    // connection to the controller. A medium that the agent holds exclusively must be free as soon as the agent
    // releases it, so the agent waits until the guard has closed its copies.
    close_all_but({watch.lifeline, watch.proc});

    Driver driver{};
    for (;;) {
        constexpr int between_looks_ms = 200;
        pollfd line{watch.lifeline, POLLIN, 0};
        if (::poll(&line, 1, between_looks_ms) == 0) {
            // A killed agent with an open file on the volume blocks in its exit if the driver is stopped, possibly with
            // the lifeline still open.
            if (process::is_exiting(watch.proc, watch.agent)) break;
            continue;
        }
        Driver word{};
        const ssize_t got = ::read(watch.lifeline, &word, sizeof word);
        if (got < 0 && errno == EINTR) continue;
        if (got != sizeof word) break;
        if (word.pipe == 0) ::_exit(0);
        driver = word;
    }

    void* const shared =
        ::mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) ::_exit(1);
    auto& unmounting = *new (shared) std::atomic<bool>(false);
    // Unmounting a stopped driver blocks until the driver is killed.
    const pid_t unmounter = ::fork();
    if (unmounter == 0) unmount_until_gone(watch, driver, unmounting);
    for (int round = 0; unmounter > 0 && round < most_rounds; ++round) {
        if (::waitpid(unmounter, nullptr, WNOHANG) == unmounter) break;
        if (round >= rounds_before_kill && driver.pipe != 0) {
            // Abort only while the mount exists: later another mount may have a connection with this name.
            if (unmounting) abort_connection(driver);
            kill_pipe_holders(watch.proc, driver.pipe, driver_life_number);
        }
        ::poll(nullptr, 0, look_again_ms);
    }
    ::rmdir(watch.mount_point);
    ::rmdir(watch.folder);
    ::_exit(0);
}

} // namespace

Result<UnmountGuard> UnmountGuard::start(const std::string& mount_point, const std::string& folder) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return fail(Errc::io_failed, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    const Descriptor reader(ends[0]);
    Descriptor writer(ends[1]);
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return fail(Errc::io_failed, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    const Descriptor closed(ends[0]);
    Descriptor inherited(ends[1]);
    const Descriptor proc(open_proc());
    const pid_t agent = ::getpid();
    const auto under_way = process::begin_start();
    const pid_t process = ::fork();
    if (process < 0) return fail(Errc::io_failed, fmt::format("cannot start a process: {}", std::strerror(errno)));
    if (process == 0)
        watch_over({.mount_point = mount_point.c_str(),
                    .folder = folder.c_str(),
                    .lifeline = reader.get(),
                    .proc = proc.get(),
                    .agent = agent});
    inherited.close();
    char none{};
    while (::read(closed.get(), &none, 1) < 0 && errno == EINTR) {
    }
    return UnmountGuard(process, std::move(writer));
}

UnmountGuard::UnmountGuard(UnmountGuard&& other) noexcept
    : process_(std::exchange(other.process_, -1)), lifeline_(std::move(other.lifeline_)) {}

void UnmountGuard::has_driver(ino_t pipe, int device) const {
    struct stat status {};
    ::fstat(device, &status);
    // The guard reads until this process ends, so the pipe always has free space and a reader.
    const Driver driver{.pipe = pipe,
                        .connection = (std::uint64_t{major(status.st_rdev)} << 20) | minor(status.st_rdev)};
    (void)!::write(lifeline_.get(), &driver, sizeof driver);
}

UnmountGuard::~UnmountGuard() {
    if (process_ < 0) return;
    const Driver none{};
    (void)!::write(lifeline_.get(), &none, sizeof none);
    lifeline_.close();
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/mount/linux/unmount_guard.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include "host/media/mount/linux/fuse_driver.hpp"
#include "host/media/mount/linux/pipe_holders.hpp"

namespace mediarig::media {
namespace {

constexpr int look_again_ms = 20;
/// Longer than driver_patience, because no user waits for a killed agent and a worn card needs time; less than two
/// seconds, after which nothing may be left.
constexpr int rounds_before_kill = 1500 / look_again_ms;
constexpr int most_rounds = 60'000 / look_again_ms;

/// Data of the guard process. The process must not allocate, lock or throw, because it is forked from a multithreaded
/// program.
struct Watch {
    const char* mount_point;
    const char* folder;
    int lifeline;
    int proc;
    int root; ///< root for the paths, independent of later unmounts
    pid_t agent;
};

/// True if the agent is exiting. A killed agent with an open file on the volume blocks in its exit if the driver is
/// stopped, possibly with the lifeline still open. Source: proc(5), PID/stat, field 9; PF_EXITING of the kernel's
/// sched.h.
bool is_ending(const Watch& watch) {
    constexpr unsigned long exiting = 0x4;
    std::array<char, 32> path{};
    std::array<char, 512> text{};
    std::snprintf(path.data(), path.size(), "%d/stat", static_cast<int>(watch.agent));
    const int file = ::openat(watch.proc, path.data(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const ssize_t got = ::read(file, text.data(), text.size() - 1);
    ::close(file);
    const char* const name_end = got > 0 ? std::strrchr(text.data(), ')') : nullptr;
    unsigned long flags = 0;
    return name_end != nullptr && std::sscanf(name_end + 1, " %*c %*d %*d %*d %*d %*d %lu", &flags) == 1 &&
           (flags & exiting) != 0;
}

void close_all_but(std::array<int, 3> kept) {
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

[[noreturn]] void unmount_until_gone(const Watch& watch, ino_t driver) {
    for (int round = 0; round < most_rounds; ++round) {
        // The driver may still mount the volume later.
        const bool unmounted = ::umount2(watch.mount_point, MNT_DETACH | UMOUNT_NOFOLLOW) == 0;
        if (!unmounted && !has_holder(watch, driver)) break;
        if (!unmounted) ::poll(nullptr, 0, look_again_ms);
    }
    ::_exit(0);
}

[[noreturn]] void watch_over(const Watch& watch) {
    // A separate session: Ctrl-C is meant for the agent.
    ::setsid();
    // Close all inherited descriptors: other processes must see them close when the agent dies, above all its
    // connection to the controller. An exclusively held medium must be free as soon as the agent releases it, so
    // start() waits until this is done.
    close_all_but({watch.lifeline, watch.proc, watch.root});

    std::uint64_t driver = 0;
    for (;;) {
        constexpr int between_looks_ms = 200;
        pollfd line{watch.lifeline, POLLIN, 0};
        if (::poll(&line, 1, between_looks_ms) == 0) {
            if (is_ending(watch)) break;
            continue;
        }
        std::uint64_t word = 0;
        const ssize_t got = ::read(watch.lifeline, &word, sizeof word);
        if (got < 0 && errno == EINTR) continue;
        if (got != sizeof word) break;
        if (word == 0) ::_exit(0);
        driver = word;
    }

    // Unmounting blocks until a stopped driver is killed.
    const pid_t unmounting = ::fork();
    if (unmounting == 0) unmount_until_gone(watch, driver);
    for (int round = 0; unmounting > 0 && round < most_rounds; ++round) {
        if (::waitpid(unmounting, nullptr, WNOHANG) == unmounting) break;
        if (round >= rounds_before_kill && driver != 0) kill_pipe_holders(watch.proc, driver, driver_life_number);
        ::poll(nullptr, 0, look_again_ms);
    }
    if (watch.folder[0] == '/') {
        ::unlinkat(watch.root, watch.mount_point + 1, AT_REMOVEDIR);
        ::unlinkat(watch.root, watch.folder + 1, AT_REMOVEDIR);
    }
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
    // The namespace of a driver is emptied later, including /proc.
    const Descriptor proc(open_proc());
    const Descriptor root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    const pid_t agent = ::getpid();
    const pid_t process = ::fork();
    if (process < 0) return fail(Errc::io_failed, fmt::format("cannot start a process: {}", std::strerror(errno)));
    if (process == 0)
        watch_over({.mount_point = mount_point.c_str(),
                    .folder = folder.c_str(),
                    .lifeline = reader.get(),
                    .proc = proc.get(),
                    .root = root.get(),
                    .agent = agent});
    inherited.close();
    char none{};
    while (::read(closed.get(), &none, 1) < 0 && errno == EINTR) {
    }
    return UnmountGuard(process, std::move(writer));
}

UnmountGuard::UnmountGuard(UnmountGuard&& other) noexcept
    : process_(std::exchange(other.process_, -1)), lifeline_(std::move(other.lifeline_)) {}

void UnmountGuard::has_driver(ino_t pipe) const {
    const std::uint64_t word = pipe;
    // The guard reads until this object ends, so the pipe has space and a reader.
    (void)!::write(lifeline_.get(), &word, sizeof word);
}

UnmountGuard::~UnmountGuard() {
    if (process_ < 0) return;
    has_driver(0);
    lifeline_.close();
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

} // namespace mediarig::media

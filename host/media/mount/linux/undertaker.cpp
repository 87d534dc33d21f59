// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/mount/linux/undertaker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

namespace mediarig::media {
namespace {

/// Runs in a child of a program with threads: nothing here may allocate, lock or throw.
[[noreturn]] void wait_and_bury(const char* mount_point, int lifeline, int driver_life) {
    // A group of its own: Ctrl-C is meant for the agent.
    ::setsid();
    // Whatever else the agent holds open must be seen to close when it dies: its line to the controller above all.
    const unsigned first = static_cast<unsigned>(std::min(lifeline, driver_life));
    const unsigned second = static_cast<unsigned>(std::max(lifeline, driver_life));
    if (first > 0) ::close_range(0, first - 1, 0);
    if (second > first + 1) ::close_range(first + 1, second - 1, 0);
    ::close_range(second + 1, UINT_MAX, 0);

    char all_is_well = 0;
    ssize_t got = -1;
    do got = ::read(lifeline, &all_is_well, 1);
    while (got < 0 && errno == EINTR);
    if (got > 0) ::_exit(0);

    constexpr int rounds = 3000, round_ms = 20;
    pollfd driver{driver_life, 0, 0};
    for (int round = 0; round < rounds; ++round) {
        // The driver may mount only now.
        ::umount2(mount_point, MNT_DETACH | UMOUNT_NOFOLLOW);
        if (::poll(&driver, 1, round_ms) > 0) break;
    }
    ::_exit(0);
}

} // namespace

Result<Undertaker> Undertaker::appoint(const std::string& mount_point, int driver_life) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return fail(Errc::io_failed, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    const Descriptor reader(ends[0]);
    Descriptor writer(ends[1]);
    const pid_t process = ::fork();
    if (process < 0) return fail(Errc::io_failed, fmt::format("cannot start a process: {}", std::strerror(errno)));
    if (process == 0) wait_and_bury(mount_point.c_str(), reader.get(), driver_life);
    return Undertaker(process, std::move(writer));
}

Undertaker::Undertaker(Undertaker&& other) noexcept
    : process_(std::exchange(other.process_, -1)), lifeline_(std::move(other.lifeline_)) {}

Undertaker::~Undertaker() {
    if (process_ < 0) return;
    constexpr char all_is_well = 1;
    // It reads until we are gone, so the pipe has room and a reader.
    (void)!::write(lifeline_.get(), &all_is_well, 1);
    lifeline_.close();
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

} // namespace mediarig::media

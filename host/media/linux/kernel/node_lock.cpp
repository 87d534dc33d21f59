// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/linux/kernel/node_lock.hpp"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "host/media/linux/kernel/open_by.hpp"

namespace mediarig::media {

Result<void> lock_node(int descriptor, const std::string& node) {
    // udev takes a shared lock while it looks at a device.
    constexpr std::chrono::seconds patience{2};
    constexpr std::chrono::milliseconds pause{10};
    const auto until = std::chrono::steady_clock::now() + patience;
    while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK)
            return fail(Errc::io_failed, fmt::format("{} cannot be locked: {}", node, std::strerror(errno)));
        if (std::chrono::steady_clock::now() >= until)
            return fail(Errc::refused, fmt::format("{} is locked by another program{}", node, perhaps_by(descriptor)));
        std::this_thread::sleep_for(pause);
    }
    return {};
}

std::string perhaps_by(int descriptor) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return {};
    const std::string who = open_by({major(status.st_rdev), minor(status.st_rdev)}, ::getpid());
    return who.empty() ? " by a mount, swap, a device above it, or another claim" : ", perhaps by " + who;
}

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/kernel/node_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <linux/major.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "host/media/claim/linux/kernel/open_by.hpp"

namespace mediarig::media {

Result<void> lock_node(int descriptor, const std::string& node) {
    // udev holds a shared lock while it probes a device.
    constexpr std::chrono::seconds patience{2};
    constexpr std::chrono::milliseconds pause{10};
    const auto until = std::chrono::steady_clock::now() + patience;
    while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK)
            return fail(Errc::io_failed, fmt::format("{} cannot be locked: {}", node, std::strerror(errno)));
        if (std::chrono::steady_clock::now() >= until)
            return fail(Errc::refused, fmt::format("{} is locked by another program{}: end that use, then try again",
                                                   node, possible_holders(descriptor)));
        std::this_thread::sleep_for(pause);
    }
    return {};
}

std::string possible_holders(int descriptor) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return {};
    const std::string who = open_by({major(status.st_rdev), minor(status.st_rdev)}, ::getpid());
    return who.empty() ? " by a mount, swap, a device above it, or another claim" : ", perhaps by " + who;
}

} // namespace mediarig::media

// Since Linux 5.15; older headers lack it.
#ifndef BLKGETDISKSEQ
#define BLKGETDISKSEQ _IOR(0x12, 128, std::uint64_t)
#endif

namespace mediarig::media {

Result<NodeFacts> facts_of(int descriptor, const std::string& node) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || !S_ISBLK(status.st_mode))
        return fail(Errc::no_medium, node + " is not a block device");
    NodeFacts facts;
    facts.number = {major(status.st_rdev), minor(status.st_rdev)};
    int read_only = 0;
    if (::ioctl(descriptor, BLKGETSIZE64, &facts.size.count) != 0 || ::ioctl(descriptor, BLKROGET, &read_only) != 0)
        return fail(Errc::no_medium, fmt::format("{} no longer responds: {}", node, std::strerror(errno)));
    facts.read_only = read_only != 0;
    // A kernel without the ioctl has no diskseq in sysfs either, so both values are 0.
    if (::ioctl(descriptor, BLKGETDISKSEQ, &facts.disk_sequence) != 0 && errno != ENOTTY)
        return fail(Errc::no_medium, fmt::format("{} no longer responds: {}", node, std::strerror(errno)));
    // Other devices fail with ENOTTY or EINVAL, a detached loop device with ENXIO.
    if (struct loop_info64 loop{};
        facts.number.major == LOOP_MAJOR && ::ioctl(descriptor, LOOP_GET_STATUS64, &loop) == 0)
        facts.loop = LoopWindowFacts{.backing_device = loop.lo_rdevice != 0 ? loop.lo_rdevice : loop.lo_device,
                                     .backing_inode = loop.lo_rdevice != 0 ? 0 : loop.lo_inode,
                                     .offset = Bytes{loop.lo_offset},
                                     .limit = Bytes{loop.lo_sizelimit}};
    return facts;
}

Result<void> drop_cached(int descriptor) {
    struct stat status {};
    int failed = ::fstat(descriptor, &status) == 0 ? 0 : errno;
    const auto note = [&](int error) { failed = failed == 0 ? error : failed; };
    // Run every step even if an earlier step fails: a medium that rejects flushes must still be read without cache.
    if (::fsync(descriptor) != 0) note(errno);
    // On a block device this call drops clean pages, even if BLKFLSBUF lacks permission.
    const int advice = ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
    if (!S_ISBLK(status.st_mode)) note(advice);
    if (S_ISBLK(status.st_mode) && ::ioctl(descriptor, BLKFLSBUF, 0) != 0) note(errno);
    if (failed == 0) return {};
    return fail(Errc::io_failed, fmt::format("cannot empty the cache of the medium: {}", std::strerror(failed)));
}

} // namespace mediarig::media

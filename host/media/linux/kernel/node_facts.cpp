// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/linux/kernel/node_facts.hpp"

#include <fmt/format.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <linux/major.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <cstring>

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
    // A kernel without the call has no diskseq in sysfs either, so that 0 is compared with 0.
    if (::ioctl(descriptor, BLKGETDISKSEQ, &facts.disk_sequence) != 0 && errno != ENOTTY)
        return fail(Errc::no_medium, fmt::format("{} no longer responds: {}", node, std::strerror(errno)));
    // Any other device answers ENOTTY or EINVAL, and an unattached loop device ENXIO.
    if (struct loop_info64 loop{};
        facts.number.major == LOOP_MAJOR && ::ioctl(descriptor, LOOP_GET_STATUS64, &loop) == 0)
        facts.loop = LoopWindowFacts{.backing_device = loop.lo_rdevice != 0 ? loop.lo_rdevice : loop.lo_device,
                                     .backing_inode = loop.lo_rdevice != 0 ? 0 : loop.lo_inode,
                                     .offset = Bytes{loop.lo_offset},
                                     .limit = Bytes{loop.lo_sizelimit}};
    return facts;
}

} // namespace mediarig::media

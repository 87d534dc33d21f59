// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/wipe.hpp"

#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace mediarig::media {
namespace {

Result<void> write_zeros(int descriptor, Bytes from, Bytes until) {
    const std::vector<std::byte> zeros(Bytes{1_MiB}.count);
    for (std::uint64_t at = from.count; at < until.count;) {
        const auto length = std::min<std::uint64_t>(zeros.size(), until.count - at);
        const ssize_t put = ::pwrite(descriptor, zeros.data(), length, static_cast<off_t>(at));
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0)
            return fail(Errc::io_failed,
                        fmt::format("cannot clear old signatures at byte {}: {}", at, std::strerror(errno)));
        at += static_cast<std::uint64_t>(put);
    }
    return {};
}

} // namespace

Result<void> wipe_signatures(ErasableMedium& medium, Discovery& discovery) {
    if (auto checked = medium.recheck(discovery); !checked) return fail(checked.error());
    const int descriptor = medium.descriptor();
    const Bytes size = medium.medium().size;
    const Bytes head = std::min(wiped_at_each_end, size);
    if (auto wiped = write_zeros(descriptor, {}, head); !wiped) return wiped;
    if (auto wiped = write_zeros(descriptor, std::max(head, size - head), size); !wiped) return wiped;
    if (::fsync(descriptor) != 0)
        return fail(Errc::io_failed, fmt::format("cannot clear old signatures: {}", std::strerror(errno)));

    // Without this /dev/sdX1 of the old table stays, and somebody may mount it over the new file system.
    // A device that cannot have partitions (a plain loop device, say) answers EINVAL.
    if (::ioctl(descriptor, BLKRRPART, 0) != 0 && errno == EBUSY)
        return fail(Errc::refused, fmt::format("a partition of {} is in use", medium.medium().node));
    return {};
}

} // namespace mediarig::media

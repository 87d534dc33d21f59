// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/wipe.hpp"

#include <fmt/format.h>
#include <linux/fs.h>
#include <poll.h>
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

/// Without this /dev/sdX1 of the old table stays, and somebody may mount it over the new file system.
Result<void> forget_partitions(const ErasableMedium& medium) {
    // udev looks into partitions for a moment whenever something about their disk changed: EBUSY alone proves nothing.
    constexpr int most_tries = 100;
    constexpr int pause_ms = 50;
    for (int tries = 0; tries < most_tries; ++tries) {
        // A device that cannot have partitions (a plain loop device, say) answers EINVAL.
        if (::ioctl(medium.descriptor(), BLKRRPART, 0) == 0 || errno != EBUSY) return {};
        ::poll(nullptr, 0, pause_ms);
    }
    return fail(Errc::refused, fmt::format("a partition of {} is in use: close what uses it", medium.medium().node));
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

    return forget_partitions(medium);
}

} // namespace mediarig::media

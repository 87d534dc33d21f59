// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/linux/wipe.hpp"

#include <fmt/format.h>
#include <linux/fs.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "host/media/format/linux/clear.hpp"
#include "host/media/inspect/partition_table.hpp"
#include "host/media/inspect/stale_signatures.hpp"
#include "host/media/inspect/superblock_copies.hpp"

namespace mediarig::media {
namespace {

/// Writes zeros, not a hole: the contents after a discard depend on the medium, but the signatures must be gone.
Result<void> wipe_span(int descriptor, Bytes from, Bytes until) {
    return write_zeros(descriptor, "zeros over old signatures", from, until - from);
}

/// Without this step /dev/sdX1 of the old table remains, and could be mounted over the new file system.
Result<void> forget_partitions(const ErasableMedium& medium) {
    // udev opens partitions for a moment after every change of their disk, so EBUSY must be retried.
    constexpr int most_tries = 100;
    constexpr int pause_ms = 50;
    for (int tries = 0; tries < most_tries; ++tries) {
        // A device without partition support (for example a plain loop device) fails with EINVAL.
        if (::ioctl(medium.descriptor(), BLKRRPART, 0) == 0 || errno != EBUSY) return {};
        ::poll(nullptr, 0, pause_ms);
    }
    // Not `refused`: that code would mean that nothing was written.
    return fail(Errc::io_failed,
                fmt::format("{} is erased, and one of its partitions is in use: close its users, and format it again",
                            medium.medium().node));
}

Result<void> wipe_starts_and_ends(int descriptor, Bytes size, const std::vector<VolumeSpan>& volumes) {
    for (const VolumeSpan& volume : volumes) {
        if (volume.start >= size) continue;
        const Bytes end = std::min(size, volume.start + std::min(volume.length, size));
        if (auto wiped = wipe_span(descriptor, volume.start, std::min(end, volume.start + wiped_at_each_start)); !wiped)
            return wiped;
        for (const SuperblockCopy& copy : superblock_copies()) {
            const Bytes at = align_down(volume.start + copy.at, 4_KiB);
            if (auto wiped = wipe_span(descriptor, std::min(at, size), std::min(at + wiped_at_each_copy, size)); !wiped)
                return wiped;
        }
        const Bytes last = end < wiped_before_each_end ? 0_B : end - wiped_before_each_end;
        if (auto wiped = wipe_span(descriptor, last, end); !wiped) return wiped;
    }
    return {};
}

} // namespace

Result<void> wipe_signatures(ErasableMedium& medium, Discovery& discovery, const std::vector<VolumeSpan>& volumes) {
    if (auto checked = medium.recheck(discovery); !checked) return fail(checked.error());
    const int descriptor = medium.descriptor();
    const Bytes size = medium.medium().size;
    // The boot sector may look like a table with meaningless spans; this is harmless, because the whole medium is to be
    // erased.
    std::vector<VolumeSpan> spans = partition_spans({descriptor, size}, {medium.medium().logical_sector});
    for (const Bytes start : usual_volume_starts()) spans.push_back({start, wiped_at_each_start});
    spans.insert(spans.end(), volumes.begin(), volumes.end());
    if (auto wiped = wipe_starts_and_ends(descriptor, size, spans); !wiped) return wiped;
    const Bytes head = std::min(wiped_at_each_end, size);
    if (auto wiped = wipe_span(descriptor, {}, head); !wiped) return wiped;
    if (auto wiped = wipe_span(descriptor, std::max(head, size - head), size); !wiped) return wiped;
    if (::fsync(descriptor) != 0)
        return fail(Errc::io_failed,
                    fmt::format("cannot flush the zeros over old signatures to the medium: {}", std::strerror(errno)));

    return forget_partitions(medium);
}

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
/// Clears what earlier formats left, so that nothing of it is mistaken for the new one.
#pragma once

#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/claim/claim.hpp"

namespace mediarig::media {

/// At each end. Formatters write only what they need: mkfs.exfat and mkapfs leave the backup GPT and the alternate HFS+
/// header at the end as they were, still valid. 4 MiB also covers the superblocks of LVM, MD, LUKS, ZFS and of the
/// checkpoint area of an APFS container made on a Mac (280 blocks of 4 KiB).
inline constexpr Bytes wiped_at_each_end = 4_MiB;

/// Behind each place where a volume began or usually begins: boot sectors and their copies, superblocks.
inline constexpr Bytes wiped_at_each_start = 1_MiB;
/// Farther behind it, over each copy of a superblock that file systems of Linux keep.
inline constexpr Bytes wiped_at_each_copy = 8_KiB;
/// In front of each place where a volume ended: the alternate HFS+ header, the superblocks of MD.
inline constexpr Bytes wiped_before_each_end = 128_KiB;

/// A volume, former or to come.
struct WipedSpan {
    Bytes start, length;
};

/// Rechecks the claim; writes zeros over both ends, the ends of the volumes that the present table lists and of
/// `volumes` to come, the usual starts of all tables that the search for stale signatures knows, and the copies of
/// superblocks behind each start; brings them to the medium, and has the kernel forget its partitions. Fails with
/// refused and no_medium (the claim is void; nothing was written), io_failed (names the offset, or a partition is in
/// use).
[[nodiscard]] Result<void> wipe_signatures(ErasableMedium& medium, Discovery& discovery,
                                           const std::vector<WipedSpan>& volumes = {});

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
/// Clears the remains of earlier formats, so that no remnant is mistaken for part of the new format.
#pragma once

#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/claim/claim.hpp"

namespace mediarig::media {

/// Zeros written at each end of the medium. Formatters write only their own structures: mkfs.exfat and mkapfs leave the
/// backup GPT and the alternate HFS+ header at the end intact and valid. 4 MiB also covers the superblocks of LVM, MD,
/// LUKS, ZFS and of the checkpoint area of an APFS container made on a Mac (280 blocks of 4 KiB).
inline constexpr Bytes wiped_at_each_end = 4_MiB;

/// Bytes cleared after each actual or usual start of a volume: boot sectors and their copies, superblocks.
inline constexpr Bytes wiped_at_each_start = 1_MiB;
/// Bytes cleared at each later copy of a superblock of the Linux file systems.
inline constexpr Bytes wiped_at_each_copy = 8_KiB;
/// Bytes cleared before each former end of a volume: the alternate HFS+ header, the superblocks of MD.
inline constexpr Bytes wiped_before_each_end = 128_KiB;

/// Rechecks the claim; writes zeros over both ends of the medium, the ends of the volumes in the present table and of
/// the new `volumes`, the usual starts of all tables that the search for stale signatures checks, and the superblock
/// copies after each start; flushes, and makes the kernel drop its partitions. Fails with refused and no_medium (the
/// claim is void; nothing was written), io_failed (names the offset, or a partition is in use).
[[nodiscard]] Result<void> wipe_signatures(ErasableMedium& medium, Discovery& discovery,
                                           const std::vector<VolumeSpan>& volumes = {});

} // namespace mediarig::media

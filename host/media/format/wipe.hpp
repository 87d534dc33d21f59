// SPDX-License-Identifier: GPL-3.0-or-later
/// Clears what earlier formats left, so that nothing of it is mistaken for the new one.
#pragma once

#include "common/units.hpp"
#include "host/media/claim.hpp"
#include "host/result.hpp"

namespace mediarig::media {

/// At each end. Formatters write only what they need: mkfs.exfat and mkapfs leave the backup GPT and the alternate HFS+
/// header at the end as they were, still valid. 4 MiB also covers the superblocks of LVM, MD, LUKS, ZFS and of the
/// checkpoint area of an APFS container made on a Mac (280 blocks of 4 KiB).
inline constexpr Bytes wiped_at_each_end = 4_MiB;

/// Rechecks the claim, writes zeros over both ends, brings them to the medium, and has the kernel forget its
/// partitions. Fails with refused and no_medium (the claim is void), io_failed (names the offset).
[[nodiscard]] Result<void> wipe_signatures(ErasableMedium& medium, Discovery& discovery);

} // namespace mediarig::media

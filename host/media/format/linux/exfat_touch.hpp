// SPDX-License-Identifier: GPL-3.0-or-later
/// Corrects boot region fields for which mkfs.exfat has no option: the offset of the volume on the medium (mkfs.exfat
/// writes 0 through a loop device), and the length of the FAT. The SD layout has a longer FAT than the clusters need,
/// and exfatprogs rounds the length up to a cluster before version 1.2.8 and to a sector since.
#pragma once

#include <optional>

#include "host/media/format/format.hpp"
#include "host/media/inspect/exfat.hpp"

namespace mediarig::media {

struct ExfatTouch {
    Bytes partition_offset;
    std::optional<Bytes> fat_length; ///< unset: unchanged
};

/// Checks that a FAT of `wanted` bytes has an entry for each cluster and the two reserved entries (Microsoft's exFAT
/// specification, 3.1.6), and ends before the cluster heap, which begins after `usable` bytes. Fails with bad_request.
[[nodiscard]] Result<void> check_fat_length(Bytes wanted, std::uint64_t clusters, Bytes sector, Bytes usable);

[[nodiscard]] bool is_needed(const ExfatTouch& touch, const ExfatBoot& boot);

/// Clears the added part of the FAT, then rewrites both boot regions with their checksums and flushes them to the
/// medium. `boot`: boot sector of the volume, as read back. Fails with bad_request (the FAT would be too short for the
/// clusters, or overlap the heap), io_failed.
[[nodiscard]] Result<void> patch_exfat(const FormatTarget& target, const ExfatBoot& boot, const ExfatTouch& touch);

} // namespace mediarig::media

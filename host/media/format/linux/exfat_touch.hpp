// SPDX-License-Identifier: GPL-3.0-or-later
/// What mkfs.exfat cannot be told, put right in the boot regions of a volume that it just made: where the volume lies
/// on the medium (it finds 0 through a loop device), and the length of the FAT, which the SD layout has longer than the
/// clusters need, and which exfatprogs rounds up to a cluster before 1.2.8 and to a sector since.
#pragma once

#include <optional>

#include "host/media/format/format.hpp"
#include "host/media/inspect/exfat.hpp"

namespace mediarig::media {

struct ExfatTouch {
    Bytes partition_offset;
    std::optional<Bytes> fat_length; ///< unset: as it is
};

/// Whether a FAT of `wanted` has an entry for each cluster and the two before them (Microsoft's exFAT
/// specification, 3.1.6), and leaves the heap alone, up to which there is `room`. Fails with bad_request.
[[nodiscard]] Result<void> check_fat_length(Bytes wanted, std::uint64_t clusters, Bytes sector, Bytes room);

[[nodiscard]] bool is_needed(const ExfatTouch& touch, const ExfatBoot& boot);

/// Clears what the FAT grows by, then rewrites both boot regions with their checksums and brings them to the medium.
/// `boot`: of the volume, as read back. Fails with bad_request (the FAT would be too short for the clusters, or reach
/// into their heap), io_failed.
[[nodiscard]] Result<void> touch_up_exfat(const FormatTarget& target, const ExfatBoot& boot, const ExfatTouch& touch);

} // namespace mediarig::media

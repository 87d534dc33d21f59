// SPDX-License-Identifier: GPL-3.0-or-later
/// What mkfs.exfat cannot be told, put right in the boot regions of a volume that it just made: where the volume lies
/// on the medium (it finds 0 through a loop device), and a FAT longer than its clusters need, as the SD layout has it.
#pragma once

#include <optional>

#include "host/media/format/format.hpp"
#include "host/media/inspect/exfat.hpp"

namespace mediarig::media {

struct ExfatTouch {
    Bytes partition_offset;
    std::optional<Bytes> fat_length; ///< unset: as it is
};

/// Whether a FAT of `wanted` holds the clusters, which need `least`, and leaves the heap alone, up to which there is
/// `room`. Fails with bad_request.
[[nodiscard]] Result<void> check_fat_length(Bytes wanted, Bytes least, Bytes room);

[[nodiscard]] bool is_needed(const ExfatTouch& touch, const ExfatBoot& boot);

/// Clears what the FAT grows by, then rewrites both boot regions with their checksums and brings them to the medium.
/// `boot`: of the volume, as read back. Fails with bad_request (the FAT would be shorter than it is, or reach into the
/// cluster heap), io_failed.
[[nodiscard]] Result<void> touch_up_exfat(const FormatTarget& target, const ExfatBoot& boot, const ExfatTouch& touch);

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads a whole FAT volume from a medium and cross-checks it.
#pragma once

#include <optional>
#include <string>

#include "host/media/inspect/fat.hpp"
#include "host/media/inspect/listing.hpp"
#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::media {

struct FatVolume {
    FatBoot boot;
    std::optional<FatInfo> info; ///< FAT32
    std::optional<FatHead> head;
    std::optional<std::string> root_label;
    /// Number counted in the FAT; empty if the FAT could not be read, or exceeds 16 MiB or the remaining read limit of
    /// the inspection (then FSInfo's hint is used).
    std::optional<std::uint64_t> free_clusters;
    std::optional<std::uint64_t> bad_clusters; ///< set if the FAT was counted; FAT16 and FAT32 only
    std::string problem;                       ///< empty, or faults and unreadable structures, each with its position
    [[nodiscard]] Bytes free() const {
        const std::uint64_t hint = info ? info->free_clusters.value_or(0) : 0;
        return boot.cluster_size * free_clusters.value_or(hint);
    }
};

/// Reads the volume. Fails with bad_format (the boot sector does not parse) or io_failed.
[[nodiscard]] Result<FatVolume> read_fat(const MediumReader& medium, Bytes start, Bytes length);

/// `start`: offset of the volume on the medium, for the positions of the parameters.
[[nodiscard]] Listing listing_of(const FatVolume& volume, Bytes start);
[[nodiscard]] Parameters parameters_of(const FatVolume& volume);

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads a whole exFAT volume from a medium and cross-checks it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "host/media/inspect/exfat.hpp"
#include "host/media/inspect/listing.hpp"
#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::media {

struct ExfatVolume {
    ExfatBoot boot;
    std::string oem_parameters;                           ///< empty if they could not be read
    std::optional<ExfatFlash> flash;                      ///< empty if the manufacturer recorded no parameters
    std::optional<std::uint32_t> boot_checksum;           ///< empty if the main region is inconsistent
    std::optional<std::array<std::uint32_t, 2>> fat_head; ///< FatEntry[0] and [1]
    std::optional<ExfatRoot> root;
    std::vector<std::uint32_t> root_clusters; ///< clusters of the root directory that were read, in order
    /// Number counted in the bitmap; empty if the bitmap could not be read or exceeds the remaining read limit of the
    /// inspection.
    std::optional<std::uint64_t> free_clusters;
    std::optional<std::uint64_t> bad_clusters; ///< counted in a FAT of up to 8 MiB, within the same limit
    std::string problem;                       ///< empty, or faults and unreadable structures, each with its position
    /// Free space for files; 0 if it was not counted.
    [[nodiscard]] Bytes free() const { return boot.cluster_size * free_clusters.value_or(0); }
};

/// `start` and `length`: the partition, or the whole medium. Assumes that bitmap and up-case table are contiguous, as
/// all formatters make them. Fails with bad_format (the boot sector does not parse) or io_failed.
[[nodiscard]] Result<ExfatVolume> read_exfat(const MediumReader& medium, Bytes start, Bytes length);

/// `start`: offset of the volume on the medium, for the positions of the parameters.
[[nodiscard]] Listing listing_of(const ExfatVolume& volume, Bytes start);
[[nodiscard]] Parameters parameters_of(const ExfatVolume& volume);

} // namespace mediarig::media

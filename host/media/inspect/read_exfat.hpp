// SPDX-License-Identifier: GPL-3.0-or-later
/// A whole exFAT volume, read from a medium and cross-checked.
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
    std::string oem_parameters;                           ///< empty where they could not be read
    std::optional<ExfatFlash> flash;                      ///< nothing where the maker says nothing
    std::optional<std::uint32_t> boot_checksum;           ///< nothing when the main region does not hold together
    std::optional<std::array<std::uint32_t, 2>> fat_head; ///< FatEntry[0] and [1]
    std::optional<ExfatRoot> root;
    std::vector<std::uint32_t> root_clusters; ///< those of the root directory that were looked at, in their order
    /// Counted in the bitmap; nothing where it could not be read, or is larger than what an inspection may still read.
    std::optional<std::uint64_t> free_clusters;
    std::optional<std::uint64_t> bad_clusters; ///< counted in a FAT of up to 8 MiB, as far as the same allows it
    std::string problem;                       ///< empty, or what is wrong or could not be read, each with its place
    /// What the volume offers for files right now; 0 where it was not counted.
    [[nodiscard]] Bytes free() const { return boot.cluster_size * free_clusters.value_or(0); }
};

/// `start` and `length`: the partition, or the whole medium. The bitmap and the up-case table are taken as contiguous,
/// as every formatter makes them. Fails with bad_format (the boot sector does not parse) or io_failed.
[[nodiscard]] Result<ExfatVolume> read_exfat(const MediumReader& medium, Bytes start, Bytes length);

/// `start`: of the volume on the medium, to which the places refer.
[[nodiscard]] Listing listing_of(const ExfatVolume& volume, Bytes start);
[[nodiscard]] Parameters parameters_of(const ExfatVolume& volume);

} // namespace mediarig::media

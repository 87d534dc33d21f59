// SPDX-License-Identifier: GPL-3.0-or-later
/// A whole exFAT volume, read from a medium and cross-checked.
#pragma once

#include <optional>
#include <string>

#include "host/media/inspect/exfat.hpp"
#include "host/media/inspect/medium_reader.hpp"
#include "host/media/inspect/parameters.hpp"

namespace mediarig::media {

struct ExfatVolume {
    ExfatBoot boot;
    std::string oem_parameters;
    std::optional<std::uint32_t> boot_checksum; ///< nothing when the main region does not hold together
    std::optional<ExfatRoot> root;
    std::optional<std::uint64_t> free_clusters;
    std::string problem; ///< empty, or the first thing that is wrong, with its place
    /// What the volume offers for files right now; 0 where the bitmap could not be read.
    [[nodiscard]] Bytes free() const { return boot.cluster_size * free_clusters.value_or(0); }
};

/// `start` and `length`: the partition, or the whole medium. The bitmap and the up-case table are taken as contiguous,
/// as every formatter makes them. Fails with bad_format (the boot sector does not parse) or io_failed.
[[nodiscard]] Result<ExfatVolume> read_exfat(const MediumReader& medium, Bytes start, Bytes length);

[[nodiscard]] Parameters parameters_of(const ExfatVolume& volume);

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
/// A whole APFS container, read from a medium: its live checkpoint, free space and volumes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/media/inspect/apfs.hpp"
#include "host/media/inspect/medium_reader.hpp"
#include "host/media/inspect/parameters.hpp"

namespace mediarig::media {

struct ApfsContents {
    ApfsContainer container;    ///< the valid superblock with the highest transaction
    bool block_zero_is_live{};  ///< block 0 is a copy, and may be older
    std::uint64_t live_block{}; ///< where that superblock stands
    std::optional<ApfsSpace> space;
    std::uint64_t space_block{}; ///< of the space manager, where there is one
    std::vector<ApfsVolume> volumes;
    std::vector<std::uint64_t> volume_blocks; ///< where each of them stands
    std::string problem;                      ///< empty, or the first thing that is wrong, with its place
    /// What the container has left for its volumes; 0 where the space manager could not be read.
    [[nodiscard]] Bytes free() const { return container.block_size * (space ? space->free_blocks : 0); }
};

/// Fails with bad_format (block 0 does not parse) or io_failed.
[[nodiscard]] Result<ApfsContents> read_apfs(const MediumReader& medium, Bytes start, Bytes length);

/// The container's parameters and those of its first volume under plain names; those of the others under "volume_2_…".
[[nodiscard]] Parameters parameters_of(const ApfsContents& contents);

} // namespace mediarig::media

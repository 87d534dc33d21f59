// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads a whole APFS container from a medium: live checkpoint, free space and volumes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/media/inspect/apfs.hpp"
#include "host/media/inspect/listing.hpp"
#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::media {

struct ApfsContents {
    ApfsContainer container;                     ///< the valid superblock with the highest transaction
    bool block_zero_is_live{};                   ///< block 0 is a copy, and may be older
    std::uint64_t live_block{};                  ///< block number of that superblock
    std::optional<std::uint64_t> block_zero_xid; ///< empty if block 0 is damaged
    std::size_t checkpoints{};                   ///< valid superblocks in the descriptor area
    std::size_t damaged_superblocks{};           ///< damaged superblocks in the descriptor area: usual after a power
                                                 ///< failure
    std::optional<ApfsSpace> space;
    std::uint64_t space_block{}; ///< block number of the space manager, if there is one
    std::vector<ApfsVolume> volumes;
    std::vector<std::uint64_t> volume_blocks; ///< block of each volume
    std::string problem;                      ///< empty, or faults and unreadable structures, each with its position
    /// Free space for the volumes; 0 if the space manager could not be read.
    [[nodiscard]] Bytes free() const {
        return space ? container.block_size * (space->free_blocks + space->second_free_blocks) : Bytes{};
    }
};

/// Uses the newest checkpoint with consistent superblock, maps and space manager; reports newer inconsistent ones. If
/// block 0 is damaged, its fields are used only to find a valid copy. Fails with bad_format (no superblock that parses)
/// or io_failed.
[[nodiscard]] Result<ApfsContents> read_apfs(const MediumReader& medium, Bytes start, Bytes length);

/// `start`: offset of the container on the medium, for the positions of the parameters.
[[nodiscard]] Listing listing_of(const ApfsContents& contents, Bytes start);
/// Parameters of the container and of its first volume under plain names; those of the other volumes under
/// "volume_2_…".
[[nodiscard]] Parameters parameters_of(const ApfsContents& contents);

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
/// A whole APFS container, read from a medium: its live checkpoint, free space and volumes.
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
    std::uint64_t live_block{};                  ///< where that superblock stands
    std::optional<std::uint64_t> block_zero_xid; ///< nothing where block 0 is damaged
    std::size_t checkpoints{};                   ///< valid superblocks in the descriptor area
    std::size_t damaged_superblocks{};           ///< torn ones there: the usual trace of a lost power supply
    std::optional<ApfsSpace> space;
    std::uint64_t space_block{}; ///< of the space manager, where there is one
    std::vector<ApfsVolume> volumes;
    std::vector<std::uint64_t> volume_blocks; ///< where each of them stands
    std::string problem;                      ///< empty, or what is wrong or could not be read, each with its place
    /// What the container has left for its volumes; 0 where the space manager could not be read.
    [[nodiscard]] Bytes free() const {
        return space ? container.block_size * (space->free_blocks + space->second_free_blocks) : Bytes{};
    }
};

/// The newest checkpoint rules whose superblock, maps and space manager hold together; a newer one that does not is
/// told. Where block 0 is damaged, its fields are only trusted so far as to find a valid copy.
/// Fails with bad_format (no superblock that parses) or io_failed.
[[nodiscard]] Result<ApfsContents> read_apfs(const MediumReader& medium, Bytes start, Bytes length);

/// `start`: of the container on the medium, to which the places refer.
[[nodiscard]] Listing listing_of(const ApfsContents& contents, Bytes start);
/// The container's parameters and those of its first volume under plain names; those of the others under "volume_2_…".
[[nodiscard]] Parameters parameters_of(const ApfsContents& contents);

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads the structures that describe an HFS+ volume and cross-checks them. host/media/format/hfsplus/check.hpp checks
/// the whole volume.
#pragma once

#include <optional>
#include <string>

#include "host/media/inspect/hfsplus.hpp"
#include "host/media/inspect/hfsplus_tree.hpp"
#include "host/media/inspect/listing.hpp"
#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::media {

struct HfsPlusVolume {
    HfsPlusHeader header;
    std::optional<HfsPlusTree> extents, catalog, attributes; ///< empty if the tree is missing or its header node is
                                                             ///< invalid
    std::optional<std::string> name;                         ///< name as stored on the medium: decomposed
    std::optional<HfsPlusJournalInfo> journal;
    std::optional<HfsPlusJournal> journal_header; ///< empty if the header is not written yet or invalid
    std::string problem;                          ///< empty, or faults and unreadable structures, each with its
                                                  ///< position
    [[nodiscard]] Bytes free() const { return header.block_size * header.free_blocks; }
};

/// `start` and `length`: the partition, or the whole medium. Fails with bad_format (the volume header does not parse)
/// or io_failed.
[[nodiscard]] Result<HfsPlusVolume> read_hfs_plus(const MediumReader& medium, Bytes start, Bytes length);

/// Name-based UUID that macOS and blkid show for the eight bytes on the medium; "none" for 0.
[[nodiscard]] std::string hfs_plus_uuid(std::uint64_t volume_id);

/// `start`: offset of the volume on the medium, for the positions of the parameters.
[[nodiscard]] Listing listing_of(const HfsPlusVolume& volume, Bytes start);
[[nodiscard]] Parameters parameters_of(const HfsPlusVolume& volume);

} // namespace mediarig::media

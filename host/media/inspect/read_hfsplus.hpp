// SPDX-License-Identifier: GPL-3.0-or-later
/// What describes an HFS+ volume, read from a medium and cross-checked. A check of the whole volume is
/// host/media/format/hfsplus/check.hpp.
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
    std::optional<HfsPlusTree> extents, catalog, attributes; ///< nothing where there is none, or its header node is bad
    std::optional<std::string> name;                         ///< as on the medium: decomposed
    std::optional<HfsPlusJournalInfo> journal;
    std::optional<HfsPlusJournal> journal_header; ///< nothing where nobody has written one, or it is bad
    std::string problem;                          ///< empty, or what is wrong or could not be read, each with its place
    [[nodiscard]] Bytes free() const { return header.block_size * header.free_blocks; }
};

/// `start` and `length`: the partition, or the whole medium. Fails with bad_format (the volume header does not parse)
/// or io_failed.
[[nodiscard]] Result<HfsPlusVolume> read_hfs_plus(const MediumReader& medium, Bytes start, Bytes length);

/// The name-based UUID that macOS and blkid show for the eight bytes on the medium; "none" for 0.
[[nodiscard]] std::string hfs_plus_uuid(std::uint64_t volume_id);

/// `start`: of the volume on the medium, to which the places refer.
[[nodiscard]] Listing listing_of(const HfsPlusVolume& volume, Bytes start);
[[nodiscard]] Parameters parameters_of(const HfsPlusVolume& volume);

} // namespace mediarig::media

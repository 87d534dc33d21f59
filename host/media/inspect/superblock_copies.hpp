// SPDX-License-Identifier: GPL-3.0-or-later
/// Superblock copies of file systems at offsets that a quick format does not overwrite, and RAID superblocks before the
/// end. Pure; trusts no byte. Source of the offsets: btrfs on-disk format, "Superblock"; LUKS2 on-disk format, "Binary
/// Header" (one position for each size of the metadata); ext4 disk layout, "The Super Block" (group 1 by block size);
/// F2FS, "On-disk Layout"; md(4).
#pragma once

#include <span>
#include <string_view>

#include "common/units.hpp"
#include "host/media/inspect/load.hpp"

namespace mediarig::media {

struct SuperblockCopy {
    std::string_view what;        ///< "copy of a btrfs superblock"
    std::string_view file_system; ///< as in recognise_signatures(); "ext" for the whole family
    Bytes at;                     ///< offset from the start of the volume
    Bytes length;                 ///< number of bytes passed to `holds`
    bool (*holds)(Raw bytes);     ///< takes `length` bytes; true for a valid copy
};

/// Copies in ascending order of their offsets.
[[nodiscard]] std::span<const SuperblockCopy> superblock_copies();

/// "ext4", "ext3" or "ext2" for a superblock of 1024 bytes, by its features; empty for other data.
[[nodiscard]] std::string_view ext_of_superblock(Raw superblock);

/// True for an MD superblock of version 1.0 to 1.2. Needs 8 bytes.
[[nodiscard]] bool is_md_superblock(Raw bytes);
/// True for an MD superblock of version 0.90. Needs 8 bytes.
[[nodiscard]] bool is_old_md_superblock(Raw bytes);
/// Offset of the superblock, versions 1.0 and 0.90, on a device that ends at `end`. 0 if the device is too short.
[[nodiscard]] Bytes md_superblock_before(Bytes end);
[[nodiscard]] Bytes old_md_superblock_before(Bytes end);

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
/// Copies of superblocks that file systems keep far behind the first one, where a quick format does not reach them, and
/// what a RAID leaves in front of the end. Pure; trusts no byte.
/// Source of the places: btrfs on-disk format, "Superblock"; LUKS2 on-disk format, "Binary Header" (with metadata of
/// the usual 16 KiB); ext4 disk layout, "The Super Block" (group 1 by block size); F2FS, "On-disk Layout"; md(4).
#pragma once

#include <span>
#include <string_view>

#include "common/units.hpp"
#include "host/media/inspect/load.hpp"

namespace mediarig::media {

struct SuperblockCopy {
    std::string_view what;        ///< "copy of a btrfs superblock"
    std::string_view file_system; ///< as recognise_signatures() names it; "ext" for each of that family
    Bytes at;                     ///< from the start of the volume
    Bytes length;                 ///< that decides
    bool (*holds)(Raw bytes);     ///< takes `length` bytes
};

/// By their places.
[[nodiscard]] std::span<const SuperblockCopy> superblock_copies();

/// "ext4" of a superblock of 1024 bytes, by its features; empty where it is none.
[[nodiscard]] std::string_view ext_of_superblock(Raw superblock);

/// Superblock of an MD array, of the versions 1.0 to 1.2. Needs 8 bytes.
[[nodiscard]] bool is_md_superblock(Raw bytes);
/// Of the version 0.90. Needs 8 bytes.
[[nodiscard]] bool is_old_md_superblock(Raw bytes);
/// Where they stand on a device that ends there, versions 1.0 and 0.90. Zero where it is too short.
[[nodiscard]] Bytes md_superblock_before(Bytes end);
[[nodiscard]] Bytes old_md_superblock_before(Bytes end);

} // namespace mediarig::media

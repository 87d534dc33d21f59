// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/superblock_copies.hpp"

#include <array>

namespace mediarig::media {
namespace {

bool is_luks2_copy(Raw bytes) {
    constexpr std::size_t version_at = 6;
    return holds(bytes, 0, "SKUL\xBA\xBE") && load_be<std::uint16_t>(bytes, version_at) == 2;
}
bool is_f2fs(Raw bytes) {
    return holds(bytes, 0, "\x10\x20\xF5\xF2");
}
bool is_btrfs(Raw bytes) {
    constexpr std::size_t magic_at = 0x40;
    return holds(bytes, magic_at, "_BHRfS_M");
}
/// A copy contains its group number; the superblock of a whole file system that begins here has group 0.
bool is_ext_of_group_1(Raw bytes) {
    constexpr std::size_t group_at = 0x5A;
    return !ext_of_superblock(bytes).empty() && load_le<std::uint16_t>(bytes, group_at) == 1;
}

constexpr Bytes btrfs_excerpt{80};
constexpr std::array copies{
    SuperblockCopy{"copy of an F2FS superblock", "f2fs", 5_KiB, 16_B, is_f2fs},
    SuperblockCopy{"second LUKS header", "luks", 16_KiB, 16_B, is_luks2_copy},
    SuperblockCopy{"second LUKS header", "luks", 32_KiB, 16_B, is_luks2_copy},
    SuperblockCopy{"second LUKS header", "luks", 64_KiB, 16_B, is_luks2_copy},
    SuperblockCopy{"second LUKS header", "luks", 128_KiB, 16_B, is_luks2_copy},
    SuperblockCopy{"second LUKS header", "luks", 256_KiB, 16_B, is_luks2_copy},
    SuperblockCopy{"second LUKS header", "luks", 512_KiB, 16_B, is_luks2_copy},
    SuperblockCopy{"second LUKS header", "luks", 1_MiB, 16_B, is_luks2_copy},
    SuperblockCopy{"second LUKS header", "luks", 2_MiB, 16_B, is_luks2_copy},
    SuperblockCopy{"second LUKS header", "luks", 4_MiB, 16_B, is_luks2_copy},
    SuperblockCopy{"copy of an ext superblock", "ext", 8_MiB + 1_KiB, 1_KiB, is_ext_of_group_1},
    SuperblockCopy{"copy of an ext superblock", "ext", 32_MiB, 1_KiB, is_ext_of_group_1},
    SuperblockCopy{"copy of a btrfs superblock", "btrfs", 64_MiB, btrfs_excerpt, is_btrfs},
    SuperblockCopy{"copy of an ext superblock", "ext", 128_MiB, 1_KiB, is_ext_of_group_1},
    SuperblockCopy{"copy of a btrfs superblock", "btrfs", 256_GiB, btrfs_excerpt, is_btrfs},
};

constexpr std::uint32_t md_magic = 0xA92B4EFC;

} // namespace

std::span<const SuperblockCopy> superblock_copies() {
    return copies;
}

std::string_view ext_of_superblock(Raw superblock) {
    if (superblock.size() < 1024 || load_le<std::uint16_t>(superblock, 0x38) != 0xEF53) return {};
    // A magic of two bytes is weak: check also that block size, revision and counts are plausible.
    if (load_le<std::uint32_t>(superblock, 0x18) > 6 || load_le<std::uint32_t>(superblock, 0x4C) > 1 ||
        load_le<std::uint32_t>(superblock, 0x00) == 0 || load_le<std::uint32_t>(superblock, 0x04) == 0)
        return {};
    const bool journal = (load_le<std::uint32_t>(superblock, 0x5C) & 4) != 0;
    const bool extents = (load_le<std::uint32_t>(superblock, 0x60) & 0x40) != 0;
    if (extents) return "ext4";
    return journal ? "ext3" : "ext2";
}

bool is_md_superblock(Raw bytes) {
    return load_le<std::uint32_t>(bytes, 0) == md_magic && load_le<std::uint32_t>(bytes, 4) == 1;
}

bool is_old_md_superblock(Raw bytes) {
    return load_le<std::uint32_t>(bytes, 0) == md_magic && load_le<std::uint32_t>(bytes, 4) == 0;
}

Bytes md_superblock_before(Bytes end) {
    return end < 16_KiB ? 0_B : align_down(end - 8_KiB, 4_KiB);
}

Bytes old_md_superblock_before(Bytes end) {
    return end < 128_KiB ? 0_B : align_down(end, 64_KiB) - 64_KiB;
}

} // namespace mediarig::media

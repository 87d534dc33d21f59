// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/recorded_length.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <optional>

#include "host/media/inspect/load.hpp"
#include "host/media/inspect/signature.hpp"

namespace mediarig::media {
namespace {

struct RecordedLength {
    std::string_view field;
    Bytes at; ///< position of the field in the volume
    Bytes length;
};

/// A superblock of 1 KiB, and its position in the volume.
struct Superblock {
    Raw raw;
    Bytes at;
};

/// Empty if the product is zero or exceeds 64 bits.
std::optional<RecordedLength> recorded(std::string_view field, const Superblock& block, std::size_t field_at,
                                       std::uint64_t count, std::uint64_t unit) {
    if (count == 0 || unit == 0 || count > std::numeric_limits<std::uint64_t>::max() / unit) return std::nullopt;
    return RecordedLength{.field = field, .at = block.at + Bytes{field_at}, .length = {count * unit}};
}

/// Source: ext4 disk layout, "The Super Block".
std::optional<RecordedLength> ext_length(const Superblock& block) {
    constexpr std::uint32_t incompatible_64bit = 0x80;
    std::uint64_t blocks = load_le<std::uint32_t>(block.raw, 0x04);
    if ((load_le<std::uint32_t>(block.raw, 0x60) & incompatible_64bit) != 0)
        blocks |= std::uint64_t{load_le<std::uint32_t>(block.raw, 0x150)} << 32;
    const auto shift = load_le<std::uint32_t>(block.raw, 0x18);
    return shift > 6 ? std::nullopt : recorded("s_blocks_count", block, 0x04, blocks, 1024ULL << shift);
}

/// Source: XFS Algorithms & Data Structures, "Superblocks".
std::optional<RecordedLength> xfs_length(const Superblock& block) {
    return recorded("sb_dblocks", block, 8, load_be<std::uint64_t>(block.raw, 8), load_be<std::uint32_t>(block.raw, 4));
}

/// Source: Linux, fs/ntfs3/ntfs.h: struct NTFS_BOOT.
std::optional<RecordedLength> ntfs_length(const Superblock& block) {
    return recorded("sectors_per_volume", block, 0x28, load_le<std::uint64_t>(block.raw, 0x28),
                    load_le<std::uint16_t>(block.raw, 0x0B));
}

/// Source: Linux, include/linux/f2fs_fs.h: struct f2fs_super_block.
std::optional<RecordedLength> f2fs_length(const Superblock& block) {
    const auto shift = load_le<std::uint32_t>(block.raw, 16);
    return shift > 16 ? std::nullopt
                      : recorded("block_count", block, 36, load_le<std::uint64_t>(block.raw, 36), 1ULL << shift);
}

/// Source: btrfs on-disk format, "Superblock": the entry of this device.
std::optional<RecordedLength> btrfs_length(const Superblock& block) {
    constexpr std::size_t total_at = 0xC9 + 8;
    return recorded("dev_item.total_bytes", block, total_at, load_le<std::uint64_t>(block.raw, total_at), 1);
}

/// Source: ECMA-119, 8.4. Copies of a disc may omit the run-out blocks at its end.
std::optional<RecordedLength> iso_length(const Superblock& block) {
    constexpr std::uint64_t run_out_blocks = 150;
    constexpr std::byte primary{1};
    const std::uint64_t blocks = load_le<std::uint32_t>(block.raw, 80);
    if (block.raw[0] != primary || blocks <= run_out_blocks) return std::nullopt;
    return recorded("Volume Space Size", block, 80, blocks - run_out_blocks, load_le<std::uint16_t>(block.raw, 128));
}

struct LengthReader {
    std::string_view file_system;
    Bytes superblock;
    std::optional<RecordedLength> (*read)(const Superblock&);
};
constexpr std::array readers{
    LengthReader{"ext2", 1_KiB, ext_length},     LengthReader{"ext3", 1_KiB, ext_length},
    LengthReader{"ext4", 1_KiB, ext_length},     LengthReader{"xfs", 0_B, xfs_length},
    LengthReader{"ntfs", 0_B, ntfs_length},      LengthReader{"f2fs", 1_KiB, f2fs_length},
    LengthReader{"btrfs", 64_KiB, btrfs_length}, LengthReader{"iso9660", optical_descriptors, iso_length}};

} // namespace

std::string truncation_of(const MediumReader& medium, Bytes start, Bytes length, std::string_view file_system) {
    for (const LengthReader& reader : readers) {
        if (reader.file_system != file_system) continue;
        const auto raw = medium.read(start + reader.superblock, 1_KiB);
        const auto found = raw ? reader.read({.raw = *raw, .at = reader.superblock}) : std::nullopt;
        if (!found || found->length <= length) return {};
        return fmt::format("{} at byte {}: the {} of {} bytes is larger than its partition or medium of {} bytes",
                           found->field, (start + found->at).count, file_system, found->length.count, length.count);
    }
    return {};
}

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
/// What the formatters of Windows, macOS and Linux take by default, for the formatter that does as they do and for the
/// rules that compare. What is not publicly known is nothing. Pure.
#pragma once

#include <optional>

#include "common/units.hpp"
#include "host/media/format_options.hpp"

namespace mediarig::media {

/// exFAT by the length of the volume, as Windows (Microsoft support article 140365) and mkfs.exfat (measured with
/// 1.2.0) take it. Nothing above 256 TB.
[[nodiscard]] std::optional<Bytes> usual_exfat_cluster(Bytes volume);

/// Of the first partition: sfdisk, parted, gdisk, Windows since Vista.
inline constexpr Bytes usual_start = 1_MiB;
/// What FAT and clusters of an exFAT begin on where mkfs.exfat is told of nothing else.
inline constexpr Bytes usual_exfat_boundary = 1_MiB;

/// newfs_exfat, from logs of diskutil at 5 GB to 1 TB. Nothing between 16 and 60 GB, where nobody published which of
/// the two it takes.
[[nodiscard]] std::optional<Bytes> macos_exfat_cluster(Bytes volume);
/// newfs_exfat puts the FAT at 1 MiB and makes it whole MiB long.
inline constexpr Bytes macos_exfat_step = 1_MiB;
/// newfs_msdos (open source): clusters of FAT32 by the length of the volume, in front of them 32 reserved sectors.
[[nodiscard]] Bytes macos_fat32_cluster(Bytes volume);
inline constexpr std::uint32_t macos_fat32_reserved_sectors = 32;

/// The EFI partition of a Mac's GPT, on sectors of 512 bytes: an empty FAT32 with clusters of one sector.
inline constexpr Bytes macos_efi_start{40 * 512}, macos_efi_length{409600 * 512};
/// Where diskutil begins the volume behind it: FAT and exFAT on a whole MiB, the others at once. Logs of diskutil.
[[nodiscard]] Bytes macos_start_of(FileSystem fs);
/// diskutil leaves so much free behind an HFS+ partition (Apple, Technical Note TN2166).
inline constexpr Bytes macos_free_behind_hfs = 128_MiB;
/// The EFI partition is made on disks above it (TN2166); what diskutil does on smaller ones is not known here.
inline constexpr Bytes macos_layout_known_above = 2_GiB;

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
/// Default values of the formatters of Windows, macOS and Linux. The formatter profiles and the conformance rules use
/// them. Values that are not publicly known are empty. Pure.
#pragma once

#include <optional>

#include "common/units.hpp"
#include "host/media/format_options.hpp"

namespace mediarig::media {

/// exFAT cluster size by volume length, as Windows (Microsoft support article 140365) and mkfs.exfat (measured with
/// 1.2.0) choose it. Empty above 256 TB.
[[nodiscard]] std::optional<Bytes> usual_exfat_cluster(Bytes volume);

/// Start of the first partition in the layouts of sfdisk, parted, gdisk, and Windows since Vista.
inline constexpr Bytes usual_start = 1_MiB;
/// Default boundary of mkfs.exfat for FAT and clusters.
inline constexpr Bytes usual_exfat_boundary = 1_MiB;

/// Cluster size of newfs_exfat, from logs of diskutil at 5 GB to 1 TB. Empty between 16 and 60 GB, because no published
/// log shows which of the two sizes it uses in that range.
[[nodiscard]] std::optional<Bytes> macos_exfat_cluster(Bytes volume);
/// newfs_exfat puts the FAT at 1 MiB and makes it a multiple of 1 MiB long.
inline constexpr Bytes macos_exfat_step = 1_MiB;
/// FAT32 cluster size of newfs_msdos by volume length (open source). newfs_msdos also makes 32 reserved sectors.
[[nodiscard]] Bytes macos_fat32_cluster(Bytes volume);
inline constexpr std::uint32_t macos_fat32_reserved_sectors = 32;

/// The EFI partition of a Mac's GPT, with 512-byte sectors: an empty FAT32 with clusters of one sector.
inline constexpr Bytes macos_efi_start{40 * 512}, macos_efi_length{409600 * 512};
/// Start of the volume after the EFI partition: FAT and exFAT on a whole MiB, other file systems directly after that
/// partition. Source: logs of diskutil.
[[nodiscard]] Bytes macos_start_of(FileSystem fs);
/// Free space that diskutil leaves after an HFS+ partition (Apple, Technical Note TN2166).
inline constexpr Bytes macos_free_behind_hfs = 128_MiB;
/// The EFI partition is made on disks above this size (TN2166); the layout of diskutil on smaller disks is not known.
inline constexpr Bytes macos_layout_known_above = 2_GiB;

} // namespace mediarig::media

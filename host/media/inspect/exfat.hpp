// SPDX-License-Identifier: GPL-3.0-or-later
/// exFAT structures needed by a tester. Pure; trusts no byte: the medium may be worn or counterfeit. Source: Microsoft,
/// "exFAT file system specification" (section numbers below).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/inspect/load.hpp"

namespace mediarig::media {

/// Main Boot Sector, section 3.1. Offsets are from the start of the volume.
struct ExfatBoot {
    Bytes sector_size, cluster_size;
    Bytes partition_offset; ///< start on the medium as recorded in the volume; 0 if unspecified
    Bytes volume_length;
    Bytes fat_offset, fat_length; ///< length of one FAT
    Bytes heap_offset;            ///< offset of cluster 2
    std::uint32_t cluster_count{};
    std::uint32_t root_cluster{};
    std::uint32_t serial{};
    std::uint16_t revision{};      ///< 0x0100 = 1.00
    std::uint8_t number_of_fats{}; ///< 2 only with TexFAT
    std::uint8_t percent_in_use{}; ///< 255 if unknown
    bool dirty{}, media_failure{}; ///< VolumeFlags
    bool second_fat_active{};      ///< ActiveFat of VolumeFlags; TexFAT
    std::uint16_t volume_flags{};
    std::uint8_t drive_select{}; ///< 80h, or another BIOS drive number that the formatter chose
    bool jump_boot_valid{};      ///< EB 76 90
    /// Contents of BootCode: "f4", "00", "windows" (33 C9 8E D1), "other". Distinguishes formatters.
    std::string boot_code;
    /// "VolumeLength is 2047 sectors, at least 2048 expected": fields outside the specification that no driver needs.
    std::vector<std::string> defects;
    bool operator==(const ExfatBoot&) const = default;

    /// Offset of a cluster. Needs 2 <= cluster < cluster_count + 2.
    [[nodiscard]] Bytes cluster_offset(std::uint32_t cluster) const {
        return heap_offset + cluster_size * (cluster - 2);
    }
    /// End of the last cluster.
    [[nodiscard]] Bytes heap_end() const { return heap_offset + cluster_size * cluster_count; }
    [[nodiscard]] bool holds_cluster(std::uint32_t cluster) const {
        return cluster >= 2 && cluster - 2 < cluster_count;
    }
    /// Offset of the entry for `cluster` in the active FAT.
    [[nodiscard]] Bytes fat_entry_offset(std::uint32_t cluster) const {
        return fat_offset + fat_length * (second_fat_active ? 1u : 0u) + Bytes{4} * cluster;
    }
};

/// Sectors of the Main or Backup Boot Region: boot, 8 extended boot, OEM parameters, reserved, checksum.
inline constexpr std::uint64_t exfat_region_sectors = 12;

[[nodiscard]] bool is_exfat(Raw boot_sector);

/// Parses a boot sector. Needs at least 512 bytes. Fails with bad_format where the driver of Linux refuses the volume;
/// the detail is the field name in the specification.
[[nodiscard]] Result<ExfatBoot> parse_exfat_boot(Raw boot_sector);

/// Boot checksum of section 3.4 over the first eleven sectors, at least 113 bytes; skips VolumeFlags and PercentInUse.
[[nodiscard]] std::uint32_t exfat_boot_checksum(Raw eleven_sectors);
/// Checksum of an up-case table, section 7.2.2: the same sum without skipped bytes.
[[nodiscard]] std::uint32_t exfat_table_checksum(Raw table);

/// SetChecksum of section 6.3.3 over a whole directory entry set; skips the field itself.
[[nodiscard]] std::uint16_t exfat_set_checksum(Raw set);

/// Checks a whole region of 12 sectors: the eight extended boot signatures and the checksum sector. Returns the
/// checksum. Fails with bad_format: "ExtendedBootSignature …" or "BootChecksum …".
[[nodiscard]] Result<std::uint32_t> check_exfat_region(Raw region, Bytes sector_size);

/// Offset in bytes of the first difference between main and backup region, except in fields that may differ.
[[nodiscard]] std::optional<Bytes> first_backup_difference(Raw main_region, Raw backup_region);

/// Contents of the OEM parameters: "none", "flash" (parameters of the SD or flash maker), "filled with ff" (left by
/// exfatprogs before 1.2.8), "unknown".
[[nodiscard]] std::string exfat_oem_parameters(Raw oem_sector);

/// OEM flash parameters, section 3.3.4: properties of the flash according to its manufacturer.
struct ExfatFlash {
    Bytes record; ///< offset of the record in its sector
    Bytes erase_block, page;
    std::uint32_t spare_sectors{};
    std::chrono::nanoseconds random_access{}, programming{}, read_cycle{}, write_cycle{};
    bool operator==(const ExfatFlash&) const = default;
};
/// The first flash record of an OEM parameters sector.
[[nodiscard]] std::optional<ExfatFlash> parse_exfat_flash(Raw oem_sector);

/// Values of FAT entries, section 4.1.
inline constexpr std::uint32_t exfat_first_entry = 0xFFFFFFF8, exfat_bad_cluster = 0xFFFFFFF7,
                               exfat_end_of_chain = 0xFFFFFFFF;

struct ExfatExtent {
    std::uint32_t first_cluster{};
    Bytes length;
    bool operator==(const ExfatExtent&) const = default;
};

/// Critical entries that describe the volume, from the start of the root directory. Section 7.
struct ExfatRoot {
    std::optional<std::string> label; ///< empty if the volume has no label
    ExfatExtent bitmap;
    std::optional<ExfatExtent> second_bitmap; ///< TexFAT
    std::optional<ExfatExtent> upcase;        ///< drivers continue without it
    std::uint32_t upcase_checksum{};
    std::optional<std::string> volume_guid;
    bool guid_checksum_valid{true};
    std::uint32_t files{};                        ///< files and folders in the given part of the root directory
    Bytes bitmap_entry, upcase_entry, guid_entry; ///< offsets of the entries in the directory
    std::vector<std::string> defects;             ///< "volume label of 15 characters, at most 11 expected"
    bool operator==(const ExfatRoot&) const = default;
};

/// True if the entries include the end-of-directory entry.
[[nodiscard]] bool exfat_directory_ends(Raw entries);
/// Parses the beginning of the root directory. Fails with bad_format without a usable allocation bitmap.
[[nodiscard]] Result<ExfatRoot> parse_exfat_root(Raw entries, const ExfatBoot& boot);

/// Number of free clusters in `bitmap`, which has the bits of `clusters` clusters; needs 8 * size >= clusters.
[[nodiscard]] std::uint64_t count_free_clusters(Raw bitmap, std::uint64_t clusters);

} // namespace mediarig::media

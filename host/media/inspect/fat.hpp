// SPDX-License-Identifier: GPL-3.0-or-later
/// Boot sectors of FAT12, FAT16 and FAT32, read as drivers read them: a value that no driver needs is a defect, not an
/// error. Pure; trusts no byte. Source: ECMA-107; Microsoft, "FAT32 File System Specification" (2000-12-06); Linux,
/// fs/fat/inode.c; Microsoft, driver fastfat.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/inspect/load.hpp"

namespace mediarig::media {

/// BIOS parameter block. Offsets are from the start of the volume.
struct FatBoot {
    std::uint8_t bits{};  ///< 32 if BPB_FATSz16 is 0; otherwise 12 or 16 by the number of clusters
    std::string oem_name; ///< 8 characters that should name the formatter but are often wrong
    Bytes sector_size, cluster_size;
    std::uint16_t reserved_sectors{};
    std::uint8_t number_of_fats{};
    std::uint16_t root_entries{}; ///< 0 on FAT32
    std::uint8_t media{};         ///< F8 for a partition
    std::uint32_t fat_sectors{};  ///< sectors of one FAT
    std::uint32_t hidden_sectors{};
    std::uint64_t total_sectors{};
    std::uint32_t cluster_count{};                ///< limited to the number of entries in the FAT
    std::uint32_t root_cluster{};                 ///< FAT32
    std::uint16_t info_sector{}, backup_sector{}; ///< FAT32; 0 or FFFF if the sector does not exist
    std::optional<std::uint32_t> serial;          ///< empty without an extended boot signature
    std::string label;                            ///< label in the boot sector, trimmed; "NO NAME" is kept; systems
                                                  ///< ignore it
    std::string type_text;                        ///< BS_FilSysType: informative only
    std::uint8_t drive_number{};
    bool fat32_layout{};              ///< BPB_FATSz16 is 0: the FAT32 fields are present
    std::uint16_t ext_flags{};        ///< BPB_ExtFlags: bit 7: only one FAT is active; bits 0 to 3: its number
    std::uint16_t fs_version{};       ///< BPB_FSVer: 0
    bool short_total{};               ///< the total is in BPB_TotSec16, otherwise in BPB_TotSec32
    bool marked_dirty{};              ///< bit 0 of the byte after the drive number: the only mark that some drivers set
    bool boot_code_is_f4{};           ///< filled with F4, as by formatters of the SD layout
    std::vector<std::string> defects; ///< "BPB_NumFATs is 9, 1 or 2 expected": fields with which some drivers continue
    bool operator==(const FatBoot&) const = default;

    [[nodiscard]] Bytes volume_length() const { return sector_size * total_sectors; }
    [[nodiscard]] Bytes fat_offset() const { return sector_size * reserved_sectors; }
    [[nodiscard]] Bytes fat_length() const { return sector_size * fat_sectors; }
    [[nodiscard]] Bytes root_offset() const { return fat_offset() + fat_length() * number_of_fats; }
    [[nodiscard]] bool mirrored() const { return (ext_flags & 0x80) == 0; }
    /// Number of the active FAT.
    [[nodiscard]] unsigned active_fat() const {
        const unsigned active = mirrored() ? 0u : ext_flags & 0xFu;
        return active < number_of_fats ? active : 0u;
    }
    /// Offset of cluster 2.
    [[nodiscard]] Bytes data_offset() const {
        return root_offset() + align_up(Bytes{std::uint64_t{root_entries} * 32}, sector_size);
    }
};

/// Layout of a BIOS parameter block, before any check against the medium.
struct FatLayout {
    std::uint32_t sector_size{}, cluster_sectors{};
    std::uint64_t fat_sectors{}, total_sectors{}, before_data{}; ///< sectors
    std::uint64_t clusters{};                                    ///< clusters that fit into the sectors
    std::uint8_t bits{};
};
/// Needs at least 512 bytes. Does not need the jump instruction and the signature, which no driver of Linux reads.
/// Fails with bad_format; the detail is the name of the field without which the volume cannot be read.
[[nodiscard]] Result<FatLayout> fat_layout(Raw sector);

/// Parses a boot sector. Needs at least 512 bytes. Fails with bad_format; the detail is the field name in the
/// specification.
[[nodiscard]] Result<FatBoot> parse_fat_boot(Raw sector);

/// FSInfo of FAT32.
struct FatInfo {
    std::optional<std::uint32_t> free_clusters, next_free; ///< empty for FFFFFFFF: unknown
    bool operator==(const FatInfo&) const = default;
};
/// Parses an FSInfo sector. Needs at least 512 bytes. Fails with bad_format: "FSI_LeadSig", "FSI_StrucSig",
/// "FSI_TrailSig".
[[nodiscard]] Result<FatInfo> parse_fat_info(Raw sector);

/// Values of FAT[0] and FAT[1].
struct FatHead {
    std::uint8_t media{};     ///< low byte of FAT[0]; equals the byte in the boot sector
    bool clean{true};         ///< FAT16/32: cleanly unmounted
    bool no_hard_error{true}; ///< FAT16/32
    bool operator==(const FatHead&) const = default;
};
/// Parses both entries. Needs at least 8 bytes; `bits` is 12, 16 or 32.
[[nodiscard]] FatHead parse_fat_head(Raw fat, unsigned bits);
/// Numbers of free and bad clusters in a part of a FAT of FAT16 or FAT32.
struct FatCount {
    std::uint64_t free{}, bad{};
};
/// Counts the entries in `fat`, which must all be complete.
[[nodiscard]] FatCount count_fat_entries(Raw entries, unsigned bits);
/// Number of free clusters of a whole FAT12 with `clusters` clusters; ignores entries 0 and 1. `fat` must contain all
/// entries.
[[nodiscard]] std::uint64_t count_free_fat12(Raw fat, std::uint64_t clusters);

/// Length of a directory entry.
inline constexpr Bytes fat_entry_length = 32_B;
struct FatLabel {
    std::string text; ///< see fat_label_text()
    Bytes at;         ///< position of its entry in the directory
    bool operator==(const FatLabel&) const = default;
};
/// Label in a part of a root directory; empty if there is no label.
[[nodiscard]] std::optional<FatLabel> fat_root_label(Raw entries);
/// Position of the first entry that no driver writes: reserved attributes, control characters in a short name, or a
/// long name with a type or a cluster. Empty if there is none before the end of the directory.
[[nodiscard]] std::optional<Bytes> fat_invalid_entry(Raw entries);
/// True if the entries include the end-of-directory entry.
[[nodiscard]] bool fat_directory_ends(Raw entries);
/// Text of the 11 bytes of a label without trailing spaces. Its code page is not known: a byte that is not ASCII and
/// not part of valid UTF-8 is shown as "\\x84". A first byte 05 means E5.
[[nodiscard]] std::string fat_label_text(Raw bytes);

/// Differences between FAT12, FAT16 and FAT32, as formatters make them. Source: Microsoft, "FAT32 File System
/// Specification".
struct FatWidth {
    std::string_view name; ///< as name_of(FileSystem)
    std::uint8_t bits;     ///< width of a FAT entry
    std::uint64_t least_clusters, most_clusters;
    std::uint32_t least_reserved; ///< number of sectors. FAT32: boot sector, FSInfo, their copies, and the sectors
                                  ///< between them
    std::uint32_t root_entries;   ///< number of entries of 32 bytes; the root directory of FAT32 is in a cluster
};
inline constexpr std::array<FatWidth, 3> fat_widths{FatWidth{"fat12", 12, 1, 4084, 1, 512},
                                                    FatWidth{"fat16", 16, 4085, 65524, 1, 512},
                                                    FatWidth{"fat32", 32, 65525, 0x0FFF'FFF4, 9, 0}};

/// Properties of the FAT type with this name; those of FAT32 for any other name.
[[nodiscard]] constexpr const FatWidth& fat_width(std::string_view name) {
    return name == fat_widths[0].name ? fat_widths[0] : name == fat_widths[1].name ? fat_widths[1] : fat_widths[2];
}

/// The FAT type of a volume with this number of clusters, by the specification.
[[nodiscard]] constexpr const FatWidth& fat_width_of(std::uint64_t clusters) {
    return clusters <= fat_widths[0].most_clusters   ? fat_widths[0]
           : clusters <= fat_widths[1].most_clusters ? fat_widths[1]
                                                     : fat_widths[2];
}

} // namespace mediarig::media

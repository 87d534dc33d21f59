// SPDX-License-Identifier: GPL-3.0-or-later
/// FAT12, FAT16 and FAT32 in what they differ.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace mediarig::media {

/// By the count of clusters alone a driver tells them apart. Source: Microsoft, "FAT32 File System Specification".
struct FatWidth {
    std::string_view name; ///< as name_of(FileSystem)
    std::uint8_t bits;     ///< of an entry
    std::uint64_t least_clusters, most_clusters;
    std::uint32_t least_reserved; ///< sectors. FAT32: boot sector, FSInfo, their copies, and the sectors between them
    std::uint32_t root_entries;   ///< of 32 bytes; FAT32 has its root directory in a cluster
};
inline constexpr std::array<FatWidth, 3> fat_widths{FatWidth{"fat12", 12, 1, 4084, 1, 512},
                                                    FatWidth{"fat16", 16, 4085, 65524, 1, 512},
                                                    FatWidth{"fat32", 32, 65525, 0x0FFF'FFF4, 9, 0}};

/// FAT32 where it is none of the three.
[[nodiscard]] constexpr const FatWidth& fat_width(std::string_view name) {
    return name == fat_widths[0].name ? fat_widths[0] : name == fat_widths[1].name ? fat_widths[1] : fat_widths[2];
}

/// By its number of clusters.
[[nodiscard]] constexpr const FatWidth& fat_width_of(std::uint64_t clusters) {
    return clusters <= fat_widths[0].most_clusters   ? fat_widths[0]
           : clusters <= fat_widths[1].most_clusters ? fat_widths[1]
                                                     : fat_widths[2];
}

} // namespace mediarig::media

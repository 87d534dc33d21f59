// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "host/media/inspect/read_fat.hpp"

namespace mediarig::media {

Listing listing_of(const FatVolume& volume, Bytes start) {
    const FatBoot& boot = volume.boot;
    Listing listing;
    listing.structure(start);
    listing.add("cluster_size", boot.cluster_size, {"BPB_SecPerClus", 0x0D, 1});
    listing.add("sector_size", boot.sector_size, {"BPB_BytsPerSec", 0x0B, 2});
    listing.add("volume_length", boot.volume_length(),
                boot.short_total ? Field{"BPB_TotSec16", 0x13, 2} : Field{"BPB_TotSec32", 0x20, 4});
    listing.add("hidden_sectors", boot.hidden_sectors, {"BPB_HiddSec", 0x1C, 4}, "sectors");
    listing.add("reserved_sectors", boot.reserved_sectors, {"BPB_RsvdSecCnt", 0x0E, 2}, "sectors");
    listing.add("fat_offset", boot.fat_offset(), {"BPB_RsvdSecCnt", 0x0E, 2});
    listing.add("fat_length", boot.fat_length(),
                boot.fat32_layout ? Field{"BPB_FATSz32", 0x24, 4} : Field{"BPB_FATSz16", 0x16, 2});
    listing.add("number_of_fats", boot.number_of_fats, {"BPB_NumFATs", 0x10, 1});
    listing.add_computed("data_offset", std::to_string(boot.data_offset().count), "B");
    listing.add_computed("cluster_count", std::to_string(boot.cluster_count), "clusters");
    listing.add("media", fmt::format("{:#04x}", boot.media), {"BPB_Media", 0x15, 1});
    listing.add("oem_name", boot.oem_name, {"BS_OEMName", 3, 8});
    listing.add("drive_number", fmt::format("{:#04x}", boot.drive_number),
                {"BS_DrvNum", boot.fat32_layout ? 0x40u : 0x24u, 1});
    listing.add_flag("dirty_in_boot_sector", boot.marked_dirty, {"BS_Reserved1", boot.fat32_layout ? 0x41u : 0x25u, 1});
    listing.add("boot_code", boot.boot_code_is_f4 ? "filled with f4" : "other",
                boot.fat32_layout ? Field{"BS_BootCode", 0x5A, 420} : Field{"BS_BootCode", 0x3E, 448});
    if (boot.serial) {
        listing.add("serial_number", fmt::format("{:04X}-{:04X}", *boot.serial >> 16, *boot.serial & 0xFFFF),
                    {"BS_VolID", boot.fat32_layout ? 0x43u : 0x27u, 4});
        listing.add("type_text", boot.type_text, {"BS_FilSysType", boot.fat32_layout ? 0x52u : 0x36u, 8});
    }
    if (boot.bits == 32) {
        listing.add("root_cluster", boot.root_cluster, {"BPB_RootClus", 0x2C, 4});
        listing.add("info_sector", boot.info_sector, {"BPB_FSInfo", 0x30, 2});
        listing.add("backup_sector", boot.backup_sector, {"BPB_BkBootSec", 0x32, 2});
        listing.add_flag("fats_mirrored", boot.mirrored(), {"BPB_ExtFlags", 0x28, 2});
    } else {
        listing.add("root_entries", boot.root_entries, {"BPB_RootEntCnt", 0x11, 2});
    }
    if (volume.free_clusters) listing.add_computed("free_clusters", std::to_string(*volume.free_clusters), "clusters");
    if (volume.bad_clusters) listing.add_computed("bad_clusters", std::to_string(*volume.bad_clusters), "clusters");
    listing.structure(start + boot.sector_size * boot.info_sector);
    if (volume.info && volume.info->free_clusters)
        listing.add("free_clusters_hint", *volume.info->free_clusters, {"FSI_Free_Count", 0x1E8, 4}, "clusters");
    if (volume.info && volume.info->next_free)
        listing.add("next_free_hint", *volume.info->next_free, {"FSI_Nxt_Free", 0x1EC, 4});
    if (volume.head && boot.bits != 12) {
        const std::uint64_t width = boot.bits / 8u;
        listing.structure(start + boot.fat_offset() + boot.fat_length() * boot.active_fat());
        listing.add_flag("volume_dirty", !volume.head->clean, {"FAT[1]", width, width});
        listing.add_flag("hard_error", !volume.head->no_hard_error, {"FAT[1]", width, width});
    }
    return listing;
}

Parameters parameters_of(const FatVolume& volume) {
    return listing_of(volume, {}).parameters();
}

} // namespace mediarig::media

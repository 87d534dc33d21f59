// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace mediarig::media {
namespace {

/// A value in one structure: offset and length within it.
struct Spot {
    const char* name;
    const char* field;
    const char* unit;
    std::uint64_t at, length;
};

void add(Places& places, Bytes structure, std::span<const Spot> spots) {
    for (const Spot& spot : spots)
        places.push_back({.name = spot.name,
                          .field = spot.field,
                          .unit = spot.unit,
                          .at = spot.length == 0 ? Bytes{} : structure + Bytes{spot.at},
                          .length = {spot.length}});
}

/// The places in the order of the parameters; a parameter that nobody placed is computed.
Places in_order(const Parameters& parameters, const Places& known) {
    Places places;
    for (const auto& [name, value] : parameters) {
        const auto found = std::ranges::find(known, name, &Place::name);
        places.push_back(found != known.end() ? *found : Place{.name = name});
    }
    return places;
}

constexpr std::array exfat_boot_spots{
    Spot{"cluster_size", "SectorsPerClusterShift", "B", 0x6D, 1},
    Spot{"sector_size", "BytesPerSectorShift", "B", 0x6C, 1},
    Spot{"volume_length", "VolumeLength", "B", 0x48, 8},
    Spot{"partition_offset", "PartitionOffset", "B", 0x40, 8},
    Spot{"fat_offset", "FatOffset", "B", 0x50, 4},
    Spot{"fat_length", "FatLength", "B", 0x54, 4},
    Spot{"number_of_fats", "NumberOfFats", "", 0x6E, 1},
    Spot{"cluster_heap_offset", "ClusterHeapOffset", "B", 0x58, 4},
    Spot{"cluster_count", "ClusterCount", "clusters", 0x5C, 4},
    Spot{"root_cluster", "FirstClusterOfRootDirectory", "", 0x60, 4},
    Spot{"serial_number", "VolumeSerialNumber", "", 0x64, 4},
    Spot{"revision", "FileSystemRevision", "", 0x68, 2},
    Spot{"volume_dirty", "VolumeFlags", "", 0x6A, 2},
    Spot{"media_failure", "VolumeFlags", "", 0x6A, 2},
    Spot{"boot_code", "BootCode", "", 0x78, 390},
    Spot{"free_clusters", "", "clusters", 0, 0},
};

constexpr std::array fat_spots{
    Spot{"cluster_size", "BPB_SecPerClus", "B", 0x0D, 1},
    Spot{"sector_size", "BPB_BytsPerSec", "B", 0x0B, 2},
    Spot{"hidden_sectors", "BPB_HiddSec", "sectors", 0x1C, 4},
    Spot{"reserved_sectors", "BPB_RsvdSecCnt", "sectors", 0x0E, 2},
    Spot{"fat_offset", "BPB_RsvdSecCnt", "B", 0x0E, 2},
    Spot{"number_of_fats", "BPB_NumFATs", "", 0x10, 1},
    Spot{"data_offset", "", "B", 0, 0},
    Spot{"cluster_count", "", "clusters", 0, 0},
    Spot{"media", "BPB_Media", "", 0x15, 1},
    Spot{"oem_name", "BS_OEMName", "", 3, 8},
    Spot{"root_entries", "BPB_RootEntCnt", "", 0x11, 2},
    Spot{"root_cluster", "BPB_RootClus", "", 0x2C, 4},
    Spot{"info_sector", "BPB_FSInfo", "", 0x30, 2},
    Spot{"backup_sector", "BPB_BkBootSec", "", 0x32, 2},
    Spot{"free_clusters", "", "clusters", 0, 0},
};

constexpr std::array hfs_plus_spots{
    Spot{"block_size", "blockSize", "B", 0x28, 4},
    Spot{"block_count", "totalBlocks", "blocks", 0x2C, 4},
    Spot{"free_blocks", "freeBlocks", "blocks", 0x30, 4},
    Spot{"journaled", "attributes", "", 4, 4},
    Spot{"case_sensitive", "signature", "", 0, 2},
    Spot{"unmounted", "attributes", "", 4, 4},
    Spot{"inconsistent", "attributes", "", 4, 4},
    Spot{"last_mounted_by", "lastMountedVersion", "", 8, 4},
    Spot{"version", "version", "", 2, 2},
    Spot{"created", "createDate", "", 0x10, 4},
    Spot{"modified", "modifyDate", "", 0x14, 4},
    Spot{"checked", "checkedDate", "", 0x1C, 4},
    Spot{"file_count", "fileCount", "", 0x20, 4},
    Spot{"folder_count", "folderCount", "", 0x24, 4},
    Spot{"next_allocation", "nextAllocation", "", 0x34, 4},
    Spot{"data_clump_size", "dataClumpSize", "B", 0x3C, 4},
    Spot{"resource_clump_size", "rsrcClumpSize", "B", 0x38, 4},
    Spot{"next_catalog_id", "nextCatalogID", "", 0x40, 4},
    Spot{"write_count", "writeCount", "", 0x44, 4},
    Spot{"volume_uuid", "finderInfo[6..7]", "", 0x68, 8},
    Spot{"allocation_file_size", "allocationFile.logicalSize", "B", 0x70, 8},
    Spot{"extents_file_size", "extentsFile.logicalSize", "B", 0xC0, 8},
    Spot{"extents_file_start", "extentsFile.extents[0].startBlock", "B", 0xD0, 4},
    Spot{"extents_clump_size", "extentsFile.clumpSize", "B", 0xC8, 4},
    Spot{"catalog_file_size", "catalogFile.logicalSize", "B", 0x110, 8},
    Spot{"catalog_file_start", "catalogFile.extents[0].startBlock", "B", 0x120, 4},
    Spot{"catalog_clump_size", "catalogFile.clumpSize", "B", 0x118, 4},
    Spot{"attributes_file_size", "attributesFile.logicalSize", "B", 0x160, 8},
    Spot{"attributes_file_start", "attributesFile.extents[0].startBlock", "B", 0x170, 4},
    Spot{"attributes_clump_size", "attributesFile.clumpSize", "B", 0x168, 4},
};

constexpr std::array apfs_container_spots{
    Spot{"block_size", "nx_block_size", "B", 0x24, 4},
    Spot{"block_count", "nx_block_count", "blocks", 0x28, 8},
    Spot{"container_uuid", "nx_uuid", "", 0x48, 16},
    Spot{"checkpoint_transaction", "o_xid", "", 0x10, 8},
    Spot{"descriptor_blocks", "nx_xp_desc_blocks", "blocks", 0x68, 4},
    Spot{"data_blocks", "nx_xp_data_blocks", "blocks", 0x6C, 4},
    Spot{"features", "nx_features", "", 0x30, 8},
    Spot{"incompatible_features", "nx_incompatible_features", "", 0x40, 8},
    Spot{"most_volumes", "nx_max_file_systems", "", 0xB4, 4},
};

constexpr std::array apfs_volume_spots{
    Spot{"name", "apfs_volname", "", 0x2C0, 256},
    Spot{"uuid", "apfs_vol_uuid", "", 0xF0, 16},
    Spot{"case_sensitive", "apfs_incompatible_features", "", 0x38, 8},
    Spot{"encrypted", "apfs_fs_flags", "", 0x108, 8},
    Spot{"role", "apfs_role", "", 0x3C4, 2},
    Spot{"formatted_by", "apfs_formatted_by", "", 0x110, 32},
    Spot{"files", "apfs_num_files", "", 0xB8, 8},
    Spot{"snapshots", "apfs_num_snapshots", "", 0xD8, 8},
    Spot{"allocated_blocks", "apfs_fs_alloc_count", "blocks", 0x58, 8},
    Spot{"reserve_blocks", "apfs_fs_reserve_block_count", "blocks", 0x48, 8},
    Spot{"quota_blocks", "apfs_fs_quota_block_count", "blocks", 0x50, 8},
};

} // namespace

Places places_of(const ExfatVolume& volume, Bytes start) {
    const ExfatBoot& boot = volume.boot;
    Places known;
    add(known, start, exfat_boot_spots);
    const std::array in_region{Spot{"oem_parameters", "OEM Parameters", "", 0, boot.sector_size.count}};
    add(known, start + boot.sector_size * 9, in_region);
    const std::array checksum{Spot{"boot_checksum", "Boot Checksum", "", 0, 4}};
    add(known, start + boot.sector_size * 11, checksum);
    if (volume.root) {
        const Bytes root = start + boot.cluster_offset(boot.root_cluster);
        const std::array bitmap{Spot{"bitmap_cluster", "FirstCluster of 81h", "", 20, 4},
                                Spot{"bitmap_length", "DataLength of 81h", "B", 24, 8}};
        add(known, root + volume.root->bitmap_entry, bitmap);
        const std::array upcase{Spot{"upcase_cluster", "FirstCluster of 82h", "", 20, 4},
                                Spot{"upcase_length", "DataLength of 82h", "B", 24, 8},
                                Spot{"upcase_checksum", "TableChecksum of 82h", "", 4, 4}};
        add(known, root + volume.root->upcase_entry, upcase);
        const std::array guid{Spot{"volume_guid", "VolumeGuid of A0h", "", 6, 16}};
        add(known, root + volume.root->guid_entry, guid);
    }
    return in_order(parameters_of(volume), known);
}

Places places_of(const FatVolume& volume, Bytes start) {
    const FatBoot& boot = volume.boot;
    Places known;
    add(known, start, fat_spots);
    const bool fat32_fields = boot.root_entries == 0 && boot.bits == 32;
    const std::array by_width{
        Spot{"fat_length", fat32_fields ? "BPB_FATSz32" : "BPB_FATSz16", "B", fat32_fields ? 0x24u : 0x16u,
             fat32_fields ? 4u : 2u},
        Spot{"volume_length", boot.total_sectors > 0xFFFF || fat32_fields ? "BPB_TotSec32" : "BPB_TotSec16", "B",
             boot.total_sectors > 0xFFFF || fat32_fields ? 0x20u : 0x13u,
             boot.total_sectors > 0xFFFF || fat32_fields ? 4u : 2u},
        Spot{"serial_number", "BS_VolID", "", fat32_fields ? 0x43u : 0x27u, 4},
        Spot{"boot_code", "BS_BootCode", "", fat32_fields ? 0x5Au : 0x3Eu, fat32_fields ? 420u : 448u}};
    add(known, start, by_width);
    if (fat32_fields) {
        const std::array info{Spot{"free_clusters_hint", "FSI_Free_Count", "clusters", 0x1E8, 4}};
        add(known, start + boot.sector_size * boot.info_sector, info);
    }
    if (boot.bits != 12) {
        const std::uint64_t width = boot.bits / 8u;
        const std::array head{Spot{"volume_dirty", "FAT[1]", "", width, width},
                              Spot{"hard_error", "FAT[1]", "", width, width}};
        add(known, start + boot.fat_offset(), head);
    }
    return in_order(parameters_of(volume), known);
}

Places places_of(const HfsPlusVolume& volume, Bytes start) {
    const HfsPlusHeader& header = volume.header;
    Places known;
    add(known, start + hfs_plus_header_offset, hfs_plus_spots);
    const auto add_node_size = [&](const char* name, const HfsPlusFork& fork) {
        const std::array node{Spot{name, "nodeSize", "B", 0x20, 2}};
        add(known, start + header.block_size * fork.extents[0].start, node);
    };
    add_node_size("extents_node_size", header.extents_file);
    add_node_size("catalog_node_size", header.catalog_file);
    add_node_size("attributes_node_size", header.attributes_file);
    const std::array journal{Spot{"journal_place", "JournalInfoBlock.flags", "", 0, 4},
                             Spot{"journal_initialised", "JournalInfoBlock.flags", "", 0, 4},
                             Spot{"journal_offset", "JournalInfoBlock.offset", "B", 0x24, 8},
                             Spot{"journal_size", "JournalInfoBlock.size", "B", 0x2C, 8}};
    add(known, start + header.block_size * header.journal_info_block, journal);
    return in_order(parameters_of(volume), known);
}

Places places_of(const ApfsContents& contents, Bytes start) {
    const Bytes block = contents.container.block_size;
    Places known;
    add(known, start + block * contents.live_block, apfs_container_spots);
    const std::array space{Spot{"free_blocks", "sm_free_count", "blocks", 0x48, 8}};
    add(known, start + block * contents.space_block, space);
    for (std::size_t i = 0; i < contents.volume_blocks.size(); ++i) {
        Places volume;
        add(volume, start + block * contents.volume_blocks[i], apfs_volume_spots);
        const std::string prefix = i == 0 ? "volume_" : fmt::format("volume_{}_", i + 1);
        for (Place& place : volume) place.name = prefix + place.name;
        std::ranges::move(volume, std::back_inserter(known));
    }
    return in_order(parameters_of(contents), known);
}

} // namespace mediarig::media

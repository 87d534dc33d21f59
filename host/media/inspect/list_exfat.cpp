// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "host/media/inspect/read_exfat.hpp"

namespace mediarig::media {
namespace {

void list_flash(const ExfatFlash& flash, Listing& listing) {
    const auto time = [&](const char* name, std::chrono::nanoseconds value, const Field& field) {
        listing.add(name, static_cast<std::uint64_t>(value.count()), field, "ns");
    };
    listing.add("flash_erase_block", flash.erase_block, {"EraseBlockSize", 16, 4});
    listing.add("flash_page", flash.page, {"PageSize", 20, 4});
    listing.add("flash_spare_sectors", flash.spare_sectors, {"SpareSectors", 24, 4}, "sectors");
    time("flash_random_access", flash.random_access, {"RandomAccessTime", 28, 4});
    time("flash_programming", flash.programming, {"ProgrammingTime", 32, 4});
    time("flash_read_cycle", flash.read_cycle, {"ReadCycle", 36, 4});
    time("flash_write_cycle", flash.write_cycle, {"WriteCycle", 40, 4});
}

void list_root(const ExfatVolume& volume, Bytes start, Listing& listing) {
    const ExfatRoot& root = *volume.root;
    // Entries beyond the first cluster lie wherever the directory goes on.
    const auto place_of = [&](Bytes entry) {
        const std::uint32_t cluster = volume.root_clusters.at(entry / volume.boot.cluster_size);
        return start + volume.boot.cluster_offset(cluster) + entry % volume.boot.cluster_size;
    };
    listing.structure(place_of(root.bitmap_entry));
    listing.add("bitmap_cluster", root.bitmap.first_cluster, {"FirstCluster of 81h", 20, 4});
    listing.add("bitmap_length", root.bitmap.length, {"DataLength of 81h", 24, 8});
    listing.structure(place_of(root.upcase_entry));
    listing.add("upcase_cluster", root.upcase.first_cluster, {"FirstCluster of 82h", 20, 4});
    listing.add("upcase_length", root.upcase.length, {"DataLength of 82h", 24, 8});
    listing.add("upcase_checksum", fmt::format("{:#010x}", root.upcase_checksum), {"TableChecksum of 82h", 4, 4});
    if (root.volume_guid) {
        listing.structure(place_of(root.guid_entry));
        listing.add("volume_guid", *root.volume_guid, {"VolumeGuid of A0h", 6, 16});
    }
}

} // namespace

Listing listing_of(const ExfatVolume& volume, Bytes start) {
    const ExfatBoot& boot = volume.boot;
    const std::uint64_t sector = boot.sector_size.count;
    Listing listing;
    listing.structure(start);
    listing.add("cluster_size", boot.cluster_size, {"SectorsPerClusterShift", 0x6D, 1});
    listing.add("sector_size", boot.sector_size, {"BytesPerSectorShift", 0x6C, 1});
    listing.add("volume_length", boot.volume_length, {"VolumeLength", 0x48, 8});
    listing.add("partition_offset", boot.partition_offset, {"PartitionOffset", 0x40, 8});
    listing.add("fat_offset", boot.fat_offset, {"FatOffset", 0x50, 4});
    listing.add("fat_length", boot.fat_length, {"FatLength", 0x54, 4});
    listing.add("number_of_fats", boot.number_of_fats, {"NumberOfFats", 0x6E, 1});
    if (boot.number_of_fats == 2)
        listing.add_computed("second_fat_offset", std::to_string((boot.fat_offset + boot.fat_length).count), "B");
    listing.add("cluster_heap_offset", boot.heap_offset, {"ClusterHeapOffset", 0x58, 4});
    listing.add("cluster_count", boot.cluster_count, {"ClusterCount", 0x5C, 4}, "clusters");
    listing.add("root_cluster", boot.root_cluster, {"FirstClusterOfRootDirectory", 0x60, 4});
    listing.add("serial_number", fmt::format("{:04X}-{:04X}", boot.serial >> 16, boot.serial & 0xFFFF),
                {"VolumeSerialNumber", 0x64, 4});
    listing.add("revision", fmt::format("{}.{:02}", boot.revision >> 8, boot.revision & 0xFF),
                {"FileSystemRevision", 0x68, 2});
    listing.add("volume_flags", fmt::format("{:#06x}", boot.volume_flags), {"VolumeFlags", 0x6A, 2});
    listing.add_flag("volume_dirty", boot.dirty, {"VolumeFlags", 0x6A, 2});
    listing.add_flag("media_failure", boot.media_failure, {"VolumeFlags", 0x6A, 2});
    listing.add("drive_select", fmt::format("{:#04x}", boot.drive_select), {"DriveSelect", 0x6F, 1});
    listing.add("percent_in_use", boot.percent_in_use == 0xFF ? "unknown" : std::to_string(boot.percent_in_use),
                {"PercentInUse", 0x70, 1}, "%");
    listing.add("boot_code", boot.boot_code, {"BootCode", 0x78, 390});
    listing.structure(start + boot.sector_size * 9);
    if (!volume.oem_parameters.empty())
        listing.add("oem_parameters", volume.oem_parameters, {"OEM Parameters", 0, sector});
    if (volume.flash) {
        listing.structure(start + boot.sector_size * 9 + volume.flash->record);
        list_flash(*volume.flash, listing);
    }
    listing.structure(start + boot.sector_size * 11);
    if (volume.boot_checksum)
        listing.add("boot_checksum", fmt::format("{:#010x}", *volume.boot_checksum), {"Boot Checksum", 0, 4});
    listing.structure(start + boot.fat_entry_offset(0));
    if (volume.fat_head) {
        listing.add("fat_entry_0", fmt::format("{:#010x}", volume.fat_head->at(0)), {"FatEntry[0]", 0, 4});
        listing.add("fat_entry_1", fmt::format("{:#010x}", volume.fat_head->at(1)), {"FatEntry[1]", 4, 4});
    }
    if (volume.free_clusters) {
        listing.add_computed("free_clusters", std::to_string(*volume.free_clusters), "clusters");
        listing.add_computed("used_clusters", std::to_string(boot.cluster_count - *volume.free_clusters), "clusters");
    }
    if (volume.bad_clusters) listing.add_computed("bad_clusters", std::to_string(*volume.bad_clusters), "clusters");
    if (volume.root) list_root(volume, start, listing);
    return listing;
}

Parameters parameters_of(const ExfatVolume& volume) {
    return listing_of(volume, {}).parameters();
}

} // namespace mediarig::media

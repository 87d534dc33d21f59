// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "host/media/inspect/read_apfs.hpp"

namespace mediarig::media {
namespace {

std::string hex(std::uint64_t bits) {
    return fmt::format("{:#x}", bits);
}

void list_container(const ApfsContents& contents, Listing& listing) {
    const ApfsContainer& container = contents.container;
    listing.add("block_size", container.block_size, {"nx_block_size", 0x24, 4});
    listing.add("block_count", container.block_count, {"nx_block_count", 0x28, 8}, "blocks");
    listing.add("container_uuid", container.uuid, {"nx_uuid", 0x48, 16});
    listing.add("checkpoint_transaction", container.object.xid, {"o_xid", 0x10, 8});
    listing.add_computed("checkpoint_block", std::to_string(contents.live_block));
    listing.add_computed("checkpoints", std::to_string(contents.checkpoints));
    listing.add_computed("damaged_superblocks", std::to_string(contents.damaged_superblocks));
    listing.add_computed("block_zero_is_live", Listing::yes_no(contents.block_zero_is_live));
    if (contents.block_zero_xid)
        listing.add_computed("block_zero_transaction", std::to_string(*contents.block_zero_xid));
    listing.add("next_transaction", container.next_xid, {"nx_next_xid", 0x60, 8});
    listing.add("descriptor_blocks", container.descriptor_blocks, {"nx_xp_desc_blocks", 0x68, 4}, "blocks");
    listing.add("descriptor_base", container.descriptor_base, {"nx_xp_desc_base", 0x70, 8});
    listing.add("data_blocks", container.data_blocks, {"nx_xp_data_blocks", 0x6C, 4}, "blocks");
    listing.add("data_base", container.data_base, {"nx_xp_data_base", 0x78, 8});
    listing.add("features", hex(container.features), {"nx_features", 0x30, 8});
    listing.add("feature_names", apfs_bits_text(ApfsBits::container_features, container.features),
                {"nx_features", 0x30, 8});
    listing.add("readonly_features", hex(container.readonly_features), {"nx_readonly_compatible_features", 0x38, 8});
    listing.add("incompatible_features", hex(container.incompatible_features), {"nx_incompatible_features", 0x40, 8});
    listing.add("incompatible_names", apfs_bits_text(ApfsBits::container_incompatible, container.incompatible_features),
                {"nx_incompatible_features", 0x40, 8});
    listing.add("container_flags", apfs_bits_text(ApfsBits::container_flags, container.flags), {"nx_flags", 0x4F0, 8});
    listing.add_flag("software_crypto", container.software_crypto(), {"nx_flags", 0x4F0, 8});
    listing.add_flag("keylocker", container.keylocker != 0, {"nx_keylocker", 0x510, 8});
    listing.add_flag("fusion", container.fusion(), {"nx_incompatible_features", 0x40, 8});
    if (!container.fusion_uuid.empty())
        listing.add("fusion_uuid", container.fusion_uuid, {"nx_fusion_uuid", 0x500, 16});
    listing.add("most_volumes", container.most_volumes, {"nx_max_file_systems", 0xB4, 4});
    listing.add_computed("volumes", std::to_string(contents.volumes.size()));
}

void list_space(const ApfsSpace& space, Listing& listing) {
    listing.add("free_blocks", space.free_blocks, {"sm_free_count", 0x48, 8}, "blocks");
    listing.add("chunk_count", space.chunk_count, {"sm_chunk_count", 0x38, 8});
    listing.add("blocks_per_chunk", space.blocks_per_chunk, {"sm_blocks_per_chunk", 0x24, 4}, "blocks");
    listing.add("chunk_info_blocks", space.cib_count, {"sm_cib_count", 0x40, 4}, "blocks");
    listing.add("chunk_info_address_blocks", space.cab_count, {"sm_cab_count", 0x44, 4}, "blocks");
    listing.add("pool_base", space.pool_base, {"sm_ip_base", 0xB0, 8});
    listing.add("pool_blocks", space.pool_blocks, {"sm_ip_block_count", 0x98, 8}, "blocks");
    listing.add("pool_bitmap_base", space.pool_bitmap_base, {"sm_ip_bm_base", 0xA8, 8});
    listing.add("pool_bitmap_blocks", space.pool_bitmap_blocks, {"sm_ip_bm_block_count", 0xA4, 4}, "blocks");
    if (space.second_block_count != 0)
        listing.add("second_device_free_blocks", space.second_free_blocks, {"sm_free_count of SD_TIER2", 0x78, 8},
                    "blocks");
}

void list_volume(const ApfsVolume& volume, Listing& listing) {
    listing.add("name", volume.name, {"apfs_volname", 0x2C0, 256});
    listing.add("uuid", volume.uuid, {"apfs_vol_uuid", 0xF0, 16});
    listing.add_flag("case_sensitive", volume.case_sensitive, {"apfs_incompatible_features", 0x38, 8});
    listing.add_flag("normalization_sensitive", !volume.normalization_insensitive(),
                     {"apfs_incompatible_features", 0x38, 8});
    listing.add_flag("encrypted", volume.encrypted, {"apfs_fs_flags", 0x108, 8});
    listing.add("flags", apfs_bits_text(ApfsBits::volume_flags, volume.flags), {"apfs_fs_flags", 0x108, 8});
    listing.add("role", hex(volume.role), {"apfs_role", 0x3C4, 2});
    listing.add("role_name", apfs_role_text(volume.role), {"apfs_role", 0x3C4, 2});
    listing.add("features", apfs_bits_text(ApfsBits::volume_features, volume.features), {"apfs_features", 0x28, 8});
    listing.add("readonly_features", apfs_bits_text(ApfsBits::volume_readonly, volume.readonly_features),
                {"apfs_readonly_compatible_features", 0x30, 8});
    listing.add("incompatible_features", apfs_bits_text(ApfsBits::volume_incompatible, volume.incompatible_features),
                {"apfs_incompatible_features", 0x38, 8});
    listing.add("formatted_by", volume.formatted_by, {"apfs_formatted_by.id", 0x110, 32});
    listing.add("formatted", apfs_time_text(volume.formatted), {"apfs_formatted_by.timestamp", 0x130, 8});
    if (!volume.modified_by.empty()) {
        listing.add("modified_by", volume.modified_by.front().by, {"apfs_modified_by[0].id", 0x140, 32});
        listing.add("modified_by_when", apfs_time_text(volume.modified_by.front().when),
                    {"apfs_modified_by[0].timestamp", 0x160, 8});
        listing.add_computed("modifiers", std::to_string(volume.modified_by.size()));
    }
    listing.add("modified", apfs_time_text(volume.last_modified), {"apfs_last_mod_time", 0x100, 8});
    listing.add("unmounted", apfs_time_text(volume.unmounted), {"apfs_unmount_time", 0x40, 8});
    listing.add("files", volume.files, {"apfs_num_files", 0xB8, 8});
    listing.add("folders", volume.folders, {"apfs_num_directories", 0xC0, 8});
    listing.add("snapshots", volume.snapshots, {"apfs_num_snapshots", 0xD8, 8});
    listing.add("allocated_blocks", volume.allocated_blocks, {"apfs_fs_alloc_count", 0x58, 8}, "blocks");
    listing.add("reserve_blocks", volume.reserve_blocks, {"apfs_fs_reserve_block_count", 0x48, 8}, "blocks");
    listing.add("quota_blocks", volume.quota_blocks, {"apfs_fs_quota_block_count", 0x50, 8}, "blocks");
}

} // namespace

Listing listing_of(const ApfsContents& contents, Bytes start) {
    const Bytes block = contents.container.block_size;
    Listing listing;
    listing.structure(start + block * contents.live_block);
    list_container(contents, listing);
    listing.structure(start + block * contents.space_block);
    if (contents.space) list_space(*contents.space, listing);
    for (std::size_t i = 0; i < contents.volumes.size(); ++i) {
        listing.structure(start + block * contents.volume_blocks[i],
                          i == 0 ? "volume_" : fmt::format("volume_{}_", i + 1));
        list_volume(contents.volumes[i], listing);
    }
    return listing;
}

Parameters parameters_of(const ApfsContents& contents) {
    return listing_of(contents, {}).parameters();
}

} // namespace mediarig::media

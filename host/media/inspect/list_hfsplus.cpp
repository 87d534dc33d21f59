// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "host/media/inspect/read_hfsplus.hpp"

namespace mediarig::media {
namespace {

constexpr std::uint8_t folding_comparison = 0xCF, binary_comparison = 0xBC;

std::string key_compare_text(std::uint8_t type) {
    return type == folding_comparison  ? "case folding"
           : type == binary_comparison ? "binary"
           : type == 0                 ? "none"
                                       : fmt::format("{:#04x}", type);
}

/// Of the file in the volume header at `header`, and of the header node in its first block.
void list_tree(Bytes start, Bytes block_size, const char* name, const char* file, std::uint64_t at,
               const std::optional<HfsPlusTree>& tree, const HfsPlusFork& fork, Listing& listing) {
    if (!tree) return;
    const auto named = [name](const char* what) { return std::string(name) + what; };
    const std::string size = fmt::format("{}.logicalSize", file), clump = fmt::format("{}.clumpSize", file),
                      first = fmt::format("{}.extents[0].startBlock", file);
    listing.structure(start + hfs_plus_header_offset);
    listing.add(named("_file_size"), fork.logical_size, {size, at, 8});
    listing.add(named("_file_start"), block_size * fork.extents[0].start, {first, at + 16, 4});
    listing.add(named("_clump_size"), Bytes{fork.clump_size}, {clump, at + 8, 4});
    listing.structure(start + block_size * fork.extents[0].start);
    listing.add(named("_node_size"), Bytes{tree->node_size}, {"nodeSize", 0x20, 2});
    listing.add(named("_max_key_length"), Bytes{tree->max_key_length}, {"maxKeyLength", 0x22, 2});
    listing.add(named("_key_compare"), key_compare_text(tree->key_compare), {"keyCompareType", 0x33, 1});
    listing.add(named("_tree_attributes"), fmt::format("{:#x}", tree->attributes), {"attributes", 0x34, 4});
    listing.add(named("_tree_depth"), tree->depth, {"treeDepth", 0x0E, 2});
    listing.add(named("_total_nodes"), tree->total_nodes, {"totalNodes", 0x24, 4});
    listing.add(named("_free_nodes"), tree->free_nodes, {"freeNodes", 0x28, 4});
    listing.add(named("_leaf_records"), tree->leaf_records, {"leafRecords", 0x14, 4});
    listing.add(named("_tree_clump_size"), tree->clump_size, {"clumpSize", 0x2E, 4});
}

void list_journal(const HfsPlusVolume& volume, Bytes start, Listing& listing) {
    const HfsPlusJournalInfo& info = *volume.journal;
    const Bytes block_size = volume.header.block_size;
    listing.structure(start + block_size * volume.header.journal_info_block);
    listing.add("journal_offset", info.offset, {"JournalInfoBlock.offset", 0x24, 8});
    listing.add("journal_size", info.size, {"JournalInfoBlock.size", 0x2C, 8});
    listing.add("journal_place", info.in_volume ? "in the volume" : "on another device",
                {"JournalInfoBlock.flags", 0, 4});
    listing.add_flag("journal_initialised", !info.needs_init, {"JournalInfoBlock.flags", 0, 4});
    if (!info.external_uuid.empty() && !info.in_volume)
        listing.add("journal_device_uuid", info.external_uuid, {"JournalInfoBlock.ext_jnl_uuid", 0x34, 37});
    if (!volume.journal_header) return;
    const HfsPlusJournal& header = *volume.journal_header;
    listing.structure(start + info.offset);
    listing.add("journal_byte_order", header.little_endian ? "little endian" : "big endian", {"endian", 4, 4});
    listing.add("journal_start", header.start, {"start", 8, 8});
    listing.add("journal_end", header.end, {"end", 16, 8});
    listing.add_computed("journal_needs_replay", Listing::yes_no(header.start != header.end));
    listing.add("journal_block_list_header", header.block_list_header, {"blhdr_size", 0x20, 4});
    listing.add("journal_checksum", fmt::format("{:#010x}", header.checksum), {"checksum", 0x24, 4});
    listing.add("journal_header_size", header.journal_header, {"jhdr_size", 0x28, 4});
}

/// HFSX leaves it to the catalog whether names regard case; HFS+ never does.
void list_case(const HfsPlusVolume& volume, Bytes start, Listing& listing) {
    if (volume.header.case_sensitive && volume.catalog) {
        const HfsPlusHeader& header = volume.header;
        listing.structure(start + header.block_size * header.catalog_file.extents[0].start);
        listing.add_flag("case_sensitive", volume.catalog->key_compare == binary_comparison,
                         {"keyCompareType", 0x33, 1});
        listing.structure(start + hfs_plus_header_offset);
    } else {
        listing.add_flag("case_sensitive", volume.header.case_sensitive, {"signature", 0, 2});
    }
}

} // namespace

Listing listing_of(const HfsPlusVolume& volume, Bytes start) {
    const HfsPlusHeader& header = volume.header;
    Listing listing;
    listing.structure(start + hfs_plus_header_offset);
    listing.add("block_size", header.block_size, {"blockSize", 0x28, 4});
    listing.add("block_count", header.total_blocks, {"totalBlocks", 0x2C, 4}, "blocks");
    listing.add("free_blocks", header.free_blocks, {"freeBlocks", 0x30, 4}, "blocks");
    listing.add("attributes", hfs_plus_attributes_text(header.attributes), {"attributes", 4, 4});
    listing.add_flag("journaled", header.journaled(), {"attributes", 4, 4});
    list_case(volume, start, listing);
    listing.add_flag("unmounted", header.unmounted(), {"attributes", 4, 4});
    listing.add_flag("inconsistent", header.inconsistent(), {"attributes", 4, 4});
    listing.add("last_mounted_by", header.last_mounted_by, {"lastMountedVersion", 8, 4});
    listing.add("version", header.version, {"version", 2, 2});
    listing.add("created", hfs_plus_date_text(header.created), {"createDate", 0x10, 4});
    listing.add("modified", hfs_plus_date_text(header.modified), {"modifyDate", 0x14, 4});
    listing.add("backed_up", hfs_plus_date_text(header.backed_up), {"backupDate", 0x18, 4});
    listing.add("checked", hfs_plus_date_text(header.checked), {"checkedDate", 0x1C, 4});
    listing.add("file_count", header.file_count, {"fileCount", 0x20, 4});
    listing.add("folder_count", header.folder_count, {"folderCount", 0x24, 4});
    listing.add("next_allocation", header.next_allocation, {"nextAllocation", 0x34, 4});
    listing.add("next_catalog_id", header.next_catalog_id, {"nextCatalogID", 0x40, 4});
    listing.add("write_count", header.write_count, {"writeCount", 0x44, 4});
    listing.add("data_clump_size", Bytes{header.data_clump_size}, {"dataClumpSize", 0x3C, 4});
    listing.add("resource_clump_size", Bytes{header.resource_clump_size}, {"rsrcClumpSize", 0x38, 4});
    listing.add("encodings", fmt::format("{:#x}", header.encodings), {"encodingsBitmap", 0x48, 8});
    listing.add("volume_uuid", hfs_plus_uuid(header.volume_id), {"finderInfo[6..7]", 0x68, 8});
    listing.add("allocation_file_size", header.allocation_file.logical_size, {"allocationFile.logicalSize", 0x70, 8});
    listing.add("allocation_clump_size", Bytes{header.allocation_file.clump_size},
                {"allocationFile.clumpSize", 0x78, 4});
    list_tree(start, header.block_size, "extents", "extentsFile", 0xC0, volume.extents, header.extents_file, listing);
    list_tree(start, header.block_size, "catalog", "catalogFile", 0x110, volume.catalog, header.catalog_file, listing);
    list_tree(start, header.block_size, "attributes", "attributesFile", 0x160, volume.attributes,
              header.attributes_file, listing);
    if (volume.name) listing.add_computed("volume_name", *volume.name);
    if (volume.journal) list_journal(volume, start, listing);
    return listing;
}

Parameters parameters_of(const HfsPlusVolume& volume) {
    return listing_of(volume, {}).parameters();
}

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/read_hfsplus.hpp"

#include <fmt/format.h>
#include <uuid/uuid.h>

#include <algorithm>
#include <array>

#include "host/media/inspect/hfsplus_fork.hpp"
#include "host/media/inspect/hfsplus_tree_walk.hpp"
#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::media {
namespace {

constexpr std::uint32_t root_parent = 1, first_user_id = 16;

/// Required properties of a tree, by TN1150.
struct TreeRule {
    const char* file;
    std::uint16_t max_key_length;
    bool folds_case; ///< only the catalog compares names
};
constexpr TreeRule extents_rule{"extents overflow file", 10, false};
constexpr TreeRule catalog_rule{"catalog file", 516, true};
constexpr TreeRule attributes_rule{"attributes file", 266, false};

/// Position of the volume on the medium, and the problems found.
class HfsPlusReading {
public:
    HfsPlusReading(const MediumReader& medium, Bytes start, Bytes length, HfsPlusVolume& volume)
        : medium_(medium), start_(start), length_(length), volume_(volume) {}

    /// Checks the fields of the header for consistency and against TN1150.
    void header() {
        const HfsPlusHeader& header = volume_.header;
        const auto note_field = [&](const char* field, std::uint64_t value) {
            note(fmt::format("HFS+ volume header at byte {}: {} is {}", (start_ + hfs_plus_header_offset).count, field,
                             value));
        };
        if (header.next_catalog_id < first_user_id && (header.attributes & HfsPlusHeader::catalog_ids_reused_bit) == 0)
            note_field("nextCatalogID", header.next_catalog_id);
        if (Bytes{header.data_clump_size} % header.block_size != 0_B)
            note_field("dataClumpSize", header.data_clump_size);
        if (Bytes{header.resource_clump_size} % header.block_size != 0_B)
            note_field("rsrcClumpSize", header.resource_clump_size);
        if (header.free_blocks > header.total_blocks) note_field("freeBlocks", header.free_blocks);
        if (header.next_allocation >= header.total_blocks) note_field("nextAllocation", header.next_allocation);
        if (header.journaled() && header.journal_info_block == 0) note_field("journalInfoBlock", 0);
        fork("allocationFile", header.allocation_file);
        fork("extentsFile", header.extents_file);
        fork("catalogFile", header.catalog_file);
        fork("attributesFile", header.attributes_file);
        fork("startupFile", header.startup_file);
        if (header.allocation_file.logical_size < Bytes{(std::uint64_t{header.total_blocks} + 7) / 8})
            note_field("allocationFile.logicalSize", header.allocation_file.logical_size.count);
    }

    void alternate_header(Raw main) {
        const Bytes at = start_ + length_ - hfs_plus_header_offset;
        const auto raw = read("alternate volume header", at, hfs_plus_header_length);
        if (!raw) return;
        const auto alternate = parse_hfs_plus(*raw);
        if (!alternate)
            return note(fmt::format("alternate volume header at byte {}: {}", at.count, alternate.error().detail));
        for (const HfsPlusDifference& difference : hfs_plus_differences(main, *raw))
            note(fmt::format("alternate volume header at byte {}: {} is {:#x}, in the volume header {:#x}",
                             (at + Bytes{difference.offset}).count, difference.field, difference.alternate,
                             difference.here));
    }

    std::optional<HfsPlusTree> tree(const TreeRule& rule, const HfsPlusFork& fork) {
        if (fork.total_blocks == 0) return std::nullopt;
        const Bytes at = start_ + volume_.header.block_size * fork.extents[0].start;
        const auto raw = read(rule.file, at, 512_B);
        if (!raw) return std::nullopt;
        const auto tree = parse_hfs_plus_tree(*raw);
        if (!tree) {
            note(fmt::format("header node of the {} at byte {}: {}", rule.file, at.count, tree.error().detail));
            return std::nullopt;
        }
        const auto note_field = [&](const char* field, std::uint64_t value) {
            note(fmt::format("header node of the {} at byte {}: {} is {}", rule.file, at.count, field, value));
        };
        if (tree->type != 0) note_field("btreeType", tree->type);
        if (tree->max_key_length != rule.max_key_length) note_field("maxKeyLength", tree->max_key_length);
        if (tree->key_compare != 0 && !(rule.folds_case && knows_comparison(tree->key_compare)))
            note_field("keyCompareType", tree->key_compare);
        if (rule.folds_case && !tree->variable_index_keys()) note_field("attributes", tree->attributes);
        if (fork.logical_size != Bytes{tree->node_size} * tree->total_nodes)
            note_field("totalNodes", tree->total_nodes);
        return *tree;
    }

    /// Name of the volume, from the first record of the first leaf: the root folder.
    void name() {
        if (!volume_.catalog || volume_.catalog->first_leaf == 0) return;
        const Bytes node{volume_.catalog->node_size};
        const Bytes within = node * volume_.catalog->first_leaf;
        const hfsplus::VolumeLocation place{.medium = medium_,
                                            .start = start_,
                                            .length = length_,
                                            .block_size = volume_.header.block_size,
                                            .total_blocks = volume_.header.total_blocks};
        const hfsplus::ForkReader catalog(place, catalog_extents(place, within + node));
        const auto raw = catalog.read(within, node);
        if (!raw) return note("first leaf of the catalog file: " + raw.error().detail);
        const Bytes at = catalog.position_of(within).value_or(0_B);
        const auto descriptor = parse_hfs_plus_node(*raw);
        const auto records = hfs_plus_records(*raw, descriptor ? descriptor->records : std::uint16_t{0});
        const bool leaf = descriptor && descriptor->kind == HfsPlusNodeKind::leaf && records && !records->empty();
        if (leaf && records->front().size() >= 8) {
            const Raw key = records->front();
            const std::size_t units = load_be<std::uint16_t>(key, 6);
            if (load_be<std::uint32_t>(key, 2) == root_parent && 8 + 2 * units <= key.size()) {
                volume_.name = text_from_utf16be(key.subspan(8, 2 * units));
                return;
            }
        }
        note(fmt::format("first leaf of the catalog file at byte {}: no root folder", at.count));
    }

    void journal() {
        if (!volume_.header.journaled()) return;
        const Bytes at = start_ + volume_.header.block_size * volume_.header.journal_info_block;
        const auto raw = read("journal info block", at, 180_B);
        if (!raw) return;
        volume_.journal = parse_hfs_plus_journal_info(*raw);
        const HfsPlusJournalInfo& info = *volume_.journal;
        if (info.in_volume == info.on_other_device)
            note(fmt::format("journal info block at byte {}: flags: the journal is {}", at.count,
                             info.in_volume ? "in the volume and on another device" : "nowhere"));
        if (!info.in_volume) return;
        if (info.offset > length_ || info.size > length_ - info.offset || info.size == 0_B)
            return note(fmt::format("journal info block at byte {}: offset {} and size {} are outside the volume",
                                    at.count, info.offset.count, info.size.count));
        // With needs_init set no journal header exists yet; ignore the bytes at its position.
        if (!info.needs_init) journal_header(info);
    }

private:
    /// Extents of the catalog file up to `needed` bytes: those of the volume header, and the ones in the extents
    /// overflow file if these do not suffice.
    std::vector<HfsPlusExtent> catalog_extents(const hfsplus::VolumeLocation& place, Bytes needed) {
        constexpr hfsplus::ForkName catalog{.file = 4, .type = hfsplus::ForkType::data},
            overflow{.file = 3, .type = hfsplus::ForkType::data};
        const HfsPlusHeader& header = volume_.header;
        // header() has reported the extents outside the volume.
        hfsplus::CheckErrors reported;
        hfsplus::Overflow none;
        auto extents = hfsplus::extents_of(header.catalog_file, catalog, "catalog file", place, none, reported);
        if (hfsplus::ForkReader(place, extents).size() >= needed || !volume_.extents ||
            !medium_.has_count_budget(header.extents_file.logical_size))
            return extents;
        const hfsplus::ForkReader file(
            place, hfsplus::extents_of(header.extents_file, overflow, "extents overflow file", place, none, reported));
        hfsplus::Overflow more = hfsplus::read_overflow(file, reported);
        return hfsplus::extents_of(header.catalog_file, catalog, "catalog file", place, more, reported);
    }

    bool knows_comparison(std::uint8_t type) const {
        return type == 0xCF || (type == 0xBC && volume_.header.case_sensitive);
    }

    void fork(const char* file, const HfsPlusFork& fork) {
        const auto note_field = [&](const std::string& field, std::uint64_t value) {
            note(fmt::format("HFS+ volume header at byte {}: {}.{} is {}", (start_ + hfs_plus_header_offset).count,
                             file, field, value));
        };
        if (fork.total_blocks == 0) return;
        for (std::size_t i = 0; i < fork.extents.size(); ++i) {
            const HfsPlusExtent& extent = fork.extents[i];
            if (std::uint64_t{extent.start} + extent.count > volume_.header.total_blocks)
                note_field(fmt::format("extents[{}].startBlock", i), extent.start);
        }
        if (fork.extents[0].count == 0 || fork.extents[0].count > fork.total_blocks)
            note_field("extents[0].blockCount", fork.extents[0].count);
        if (fork.logical_size > volume_.header.block_size * fork.total_blocks)
            note_field("logicalSize", fork.logical_size.count);
    }

    void journal_header(const HfsPlusJournalInfo& info) {
        const Bytes at = start_ + info.offset;
        const auto raw = read("journal header", at, 512_B);
        if (!raw) return;
        const auto header = parse_hfs_plus_journal(*raw);
        if (!header) return note(fmt::format("journal header at byte {}: {}", at.count, header.error().detail));
        volume_.journal_header = *header;
        if (header->size != info.size)
            note(fmt::format("journal header at byte {}: size is {}, the journal info block has {}", at.count,
                             header->size.count, info.size.count));
        if (header->start != header->end)
            note(fmt::format("journal header at byte {}: start {} and end {} differ: the journal needs to be replayed",
                             at.count, header->start.count, header->end.count));
    }

    /// Reads a structure, or notes that it could not be read.
    Result<std::vector<std::byte>> read(const char* what, Bytes at, Bytes length) {
        auto raw = medium_.read(at, length);
        if (!raw) note(fmt::format("{}: {}", what, raw.error().detail));
        return raw;
    }
    void note(const std::string& problem) { add_problem(volume_.problem, problem); }

    const MediumReader& medium_;
    Bytes start_, length_;
    HfsPlusVolume& volume_;
};

} // namespace

Result<HfsPlusVolume> read_hfs_plus(const MediumReader& medium, Bytes start, Bytes length) {
    const Bytes at = start + hfs_plus_header_offset;
    const auto raw = medium.read(at, hfs_plus_header_length);
    if (!raw) return fail(raw.error());
    const auto header = parse_hfs_plus(*raw);
    if (!header)
        return fail(Errc::bad_format,
                    fmt::format("HFS+ volume header at byte {}: {}", at.count, header.error().detail));
    HfsPlusVolume volume{.header = *header};
    const Bytes claimed = header->block_size * header->total_blocks;
    if (claimed > length) {
        volume.problem = fmt::format(
            "HFS+ volume header at byte {}: totalBlocks: the volume of {} bytes is larger than its partition or medium "
            "of {} bytes",
            at.count, claimed.count, length.count);
    }
    HfsPlusReading reading(medium, start, length, volume);
    reading.header();
    // A truncated volume has no alternate header.
    if (claimed <= length) reading.alternate_header(*raw);
    volume.extents = reading.tree(extents_rule, header->extents_file);
    volume.catalog = reading.tree(catalog_rule, header->catalog_file);
    volume.attributes = reading.tree(attributes_rule, header->attributes_file);
    reading.name();
    reading.journal();
    return volume;
}

std::string hfs_plus_uuid(std::uint64_t volume_id) {
    if (volume_id == 0) return "none";
    // This UUID is Apple's namespace for HFS+ volumes.
    constexpr std::array<unsigned char, 16> name_space{0xB3, 0xE2, 0x0F, 0x39, 0xF2, 0x92, 0x11, 0xD6,
                                                       0x97, 0xA4, 0x00, 0x30, 0x65, 0x43, 0xEC, 0xAC};
    std::array<char, 8> name{};
    for (std::size_t i = 0; i < name.size(); ++i) name[i] = static_cast<char>(volume_id >> (56 - 8 * i) & 0xFF);
    std::array<unsigned char, 16> uuid{};
    ::uuid_generate_md5(uuid.data(), name_space.data(), name.data(), name.size());
    return uuid_text(std::as_bytes(std::span(uuid)));
}

namespace {

constexpr std::uint8_t folding_comparison = 0xCF, binary_comparison = 0xBC;

std::string key_compare_text(std::uint8_t type) {
    return type == folding_comparison  ? "case folding"
           : type == binary_comparison ? "binary"
           : type == 0                 ? "none"
                                       : fmt::format("{:#04x}", type);
}

/// Lists the fork data at offset `header` of the volume header, and the header node in the first block of the file.
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

/// On HFSX the catalog determines case sensitivity; HFS+ is never case-sensitive.
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

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/read_hfsplus.hpp"

#include <fmt/format.h>
#include <uuid/uuid.h>

#include <algorithm>
#include <array>

#include "host/media/inspect/problem.hpp"

namespace mediarig::media {
namespace {

constexpr std::uint32_t root_parent = 1, first_user_id = 16;

/// What a tree has to say of itself, by TN1150.
struct TreeRule {
    const char* file;
    std::uint16_t max_key_length;
    bool folds_case; ///< the catalog alone compares names
};
constexpr TreeRule extents_rule{"extents overflow file", 10, false};
constexpr TreeRule catalog_rule{"catalog file", 516, true};
constexpr TreeRule attributes_rule{"attributes file", 266, false};

/// The volume's own place on the medium, and what is found wrong.
class HfsPlusReading {
public:
    HfsPlusReading(const MediumReader& medium, Bytes start, Bytes length, HfsPlusVolume& volume)
        : medium_(medium), start_(start), length_(length), volume_(volume) {}

    /// Fields of the header that contradict each other, or what TN1150 asks of them.
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

    /// From the first record of the first leaf: the root folder under the name of the volume.
    void name() {
        if (!volume_.catalog || volume_.catalog->first_leaf == 0) return;
        const HfsPlusFork& fork = volume_.header.catalog_file;
        const Bytes node{volume_.catalog->node_size};
        const Bytes within = node * volume_.catalog->first_leaf;
        if (within + node > volume_.header.block_size * fork.extents[0].count)
            return note("first leaf of the catalog file: beyond the file's first extent");
        const Bytes at = start_ + volume_.header.block_size * fork.extents[0].start + within;
        const auto raw = read("first leaf of the catalog file", at, node);
        if (!raw) return;
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
            return note(fmt::format("journal info block at byte {}: offset {} and size {} lie outside the volume",
                                    at.count, info.offset.count, info.size.count));
        // Nobody has written a header yet: whatever stands there is no journal.
        if (!info.needs_init) journal_header(info);
    }

private:
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

    /// A structure, or a note that it could not be read.
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
            "HFS+ volume header at byte {}: totalBlocks: the volume of {} bytes is larger than its place of {} bytes",
            at.count, claimed.count, length.count);
    }
    HfsPlusReading reading(medium, start, length, volume);
    reading.header();
    // A volume that is cut off has no end.
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
    // Apple's namespace for volumes of HFS+.
    constexpr std::array<unsigned char, 16> name_space{0xB3, 0xE2, 0x0F, 0x39, 0xF2, 0x92, 0x11, 0xD6,
                                                       0x97, 0xA4, 0x00, 0x30, 0x65, 0x43, 0xEC, 0xAC};
    std::array<char, 8> name{};
    for (std::size_t i = 0; i < name.size(); ++i) name[i] = static_cast<char>(volume_id >> (56 - 8 * i) & 0xFF);
    std::array<unsigned char, 16> uuid{};
    ::uuid_generate_md5(uuid.data(), name_space.data(), name.data(), name.size());
    return uuid_text(std::as_bytes(std::span(uuid)));
}

} // namespace mediarig::media

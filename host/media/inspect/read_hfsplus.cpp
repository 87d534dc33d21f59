// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/read_hfsplus.hpp"

#include <fmt/format.h>
#include <uuid/uuid.h>

#include <algorithm>
#include <array>

namespace mediarig::media {
namespace {

constexpr std::uint32_t root_parent = 1;

/// The volume's own place on the medium, and the first thing found wrong.
class Reading {
public:
    Reading(const MediumReader& medium, Bytes start, Bytes length, HfsPlusVolume& volume)
        : medium_(medium), start_(start), length_(length), volume_(volume) {}

    void alternate_header() {
        const Bytes at = start_ + length_ - hfs_plus_header_offset;
        const auto raw = medium_.read(at, hfs_plus_header_length);
        if (!raw) return note(raw.error().detail);
        const auto alternate = parse_hfs_plus(*raw);
        if (!alternate)
            return note(fmt::format("alternate volume header at byte {}: {}", at.count, alternate.error().detail));
        const HfsPlusHeader& header = volume_.header;
        if (alternate->block_size != header.block_size || alternate->total_blocks != header.total_blocks)
            note(fmt::format(
                "alternate volume header at byte {}: {} blocks of {} bytes, the volume header has {} of {}", at.count,
                alternate->total_blocks, alternate->block_size.count, header.total_blocks, header.block_size.count));
    }

    std::optional<HfsPlusTree> tree(const std::string& name, const HfsPlusFork& fork) {
        if (fork.total_blocks == 0) return std::nullopt;
        const Bytes at = start_ + volume_.header.block_size * fork.extents[0].start;
        const auto raw = medium_.read(at, 512_B);
        if (!raw) {
            note(raw.error().detail);
            return std::nullopt;
        }
        const auto tree = parse_hfs_plus_tree(*raw);
        if (tree) return *tree;
        note(fmt::format("header node of the {} at byte {}: {}", name, at.count, tree.error().detail));
        return std::nullopt;
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
        const auto raw = medium_.read(at, node);
        if (!raw) return note(raw.error().detail);
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
        const auto raw = medium_.read(at, 180_B);
        if (!raw) return note(raw.error().detail);
        volume_.journal = parse_hfs_plus_journal_info(*raw);
        const HfsPlusJournalInfo& info = *volume_.journal;
        if (info.in_volume && (info.offset > length_ || info.size > length_ - info.offset))
            note(fmt::format("journal info block at byte {}: the journal lies outside the volume", at.count));
    }

private:
    void note(const std::string& problem) {
        if (volume_.problem.empty()) volume_.problem = problem;
    }
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
        volume.problem =
            fmt::format("the volume of {} bytes is larger than its place of {} bytes", claimed.count, length.count);
        return volume;
    }
    Reading reading(medium, start, length, volume);
    reading.alternate_header();
    volume.extents = reading.tree("extents overflow file", header->extents_file);
    volume.catalog = reading.tree("catalog file", header->catalog_file);
    volume.attributes = reading.tree("attributes file", header->attributes_file);
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

Parameters parameters_of(const HfsPlusVolume& volume) {
    const HfsPlusHeader& header = volume.header;
    const auto number = [](std::uint64_t value) { return std::to_string(value); };
    const auto yes_no = [](bool value) { return std::string(value ? "yes" : "no"); };
    Parameters parameters{
        {"block_size", number(header.block_size.count)},
        {"block_count", number(header.total_blocks)},
        {"free_blocks", number(header.free_blocks)},
        {"journaled", yes_no(header.journaled())},
        {"case_sensitive", yes_no(header.case_sensitive)},
        {"unmounted", yes_no(header.unmounted())},
        {"inconsistent", yes_no(header.inconsistent())},
        {"last_mounted_by", header.last_mounted_by},
        {"version", number(header.version)},
        {"created", hfs_plus_date_text(header.created)},
        {"modified", hfs_plus_date_text(header.modified)},
        {"checked", hfs_plus_date_text(header.checked)},
        {"file_count", number(header.file_count)},
        {"folder_count", number(header.folder_count)},
        {"next_allocation", number(header.next_allocation)},
        {"next_catalog_id", number(header.next_catalog_id)},
        {"write_count", number(header.write_count)},
        {"data_clump_size", number(header.data_clump_size)},
        {"resource_clump_size", number(header.resource_clump_size)},
        {"volume_uuid", hfs_plus_uuid(header.volume_id)},
        {"allocation_file_size", number(header.allocation_file.logical_size.count)},
    };
    const auto add_tree = [&](const std::string& name, const std::optional<HfsPlusTree>& tree,
                              const HfsPlusFork& fork) {
        if (!tree) return;
        parameters.emplace_back(name + "_file_size", number(fork.logical_size.count));
        parameters.emplace_back(name + "_file_start", number((header.block_size * fork.extents[0].start).count));
        parameters.emplace_back(name + "_clump_size", number(fork.clump_size));
        parameters.emplace_back(name + "_node_size", number(tree->node_size));
    };
    add_tree("extents", volume.extents, header.extents_file);
    add_tree("catalog", volume.catalog, header.catalog_file);
    add_tree("attributes", volume.attributes, header.attributes_file);
    if (volume.name) parameters.emplace_back("volume_name", *volume.name);
    if (volume.journal)
        parameters.insert(parameters.end(),
                          {{"journal_offset", number(volume.journal->offset.count)},
                           {"journal_size", number(volume.journal->size.count)},
                           {"journal_place", volume.journal->in_volume ? "in the volume" : "on another device"},
                           {"journal_initialised", yes_no(!volume.journal->needs_init)}});
    return parameters;
}

} // namespace mediarig::media

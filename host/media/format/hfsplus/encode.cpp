// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/hfsplus/encode.hpp"

#include <algorithm>
#include <array>

#include "host/media/format/hfsplus/big_endian.hpp"
#include "host/media/format/hfsplus/catalog_records.hpp"
#include "host/media/inspect/hfsplus_bitmap.hpp"
#include "host/media/inspect/hfsplus_tree.hpp"

namespace mediarig::media::hfsplus {
namespace {

constexpr std::uint32_t clump_blocks = 16; ///< for files without their own clump size
constexpr std::uint32_t big_keys = 2, variable_index_keys = 4;

std::uint32_t date_of(const Options& options) {
    return static_cast<std::uint32_t>(options.created.time_since_epoch().count() + hfs_plus_unix_epoch);
}

void store_fork(std::span<std::byte> bytes, std::size_t at, const Layout& layout, const HfsPlusExtent& extent) {
    const Bytes length = layout.length_of(extent);
    store_be(bytes, at, length.count);
    // The clump size of a special file equals its initial size: 512 MiB at most.
    store_be(bytes, at + 8, static_cast<std::uint32_t>(length.count));
    store_be(bytes, at + 12, extent.count);
    store_be(bytes, at + 16, extent.start);
    store_be(bytes, at + 20, extent.count);
}

std::vector<std::byte> volume_header(const Layout& layout) {
    const Options& options = layout.options;
    const bool case_sensitive = options.names == CaseSensitivity::case_sensitive;
    const bool journaled = options.journal == JournalMode::inside;
    std::vector<std::byte> raw(hfs_plus_header_length.count);
    const std::span bytes(raw);
    const auto store16 = [&](std::size_t at, std::uint16_t value) { store_be(bytes, at, value); };
    const auto store32 = [&](std::size_t at, std::uint32_t value) { store_be(bytes, at, value); };
    store16(0x00, case_sensitive ? 0x4858 : 0x482B);
    store16(0x02, case_sensitive ? 5 : 4);
    store32(0x04, HfsPlusHeader::unmounted_bit | HfsPlusHeader::unused_nodes_zeroed_bit |
                      (journaled ? HfsPlusHeader::journaled_bit : 0));
    store32(0x08, 0x31302E30); // "10.0"
    store32(0x0C, layout.journal_info ? layout.journal_info->start : 0);
    for (const std::size_t date : {0x10U, 0x14U, 0x1CU}) store32(date, date_of(options));
    store32(0x20, journaled ? 2 : 0);
    store32(0x28, static_cast<std::uint32_t>(layout.block_size.count));
    store32(0x2C, layout.total_blocks);
    store32(0x30, layout.free_blocks);
    store32(0x34, layout.next_allocation);
    const auto clump = static_cast<std::uint32_t>(
        std::max(std::min(layout.block_size * clump_blocks, 64_KiB), layout.block_size).count);
    store32(0x38, clump);
    store32(0x3C, clump);
    store32(0x40, first_user_id + (journaled ? 2 : 0));
    store_be(bytes, 0x48, std::uint64_t{1}); // encodings: MacRoman
    store_be(bytes, 0x68, options.volume_id);
    store_fork(bytes, 0x70, layout, layout.bitmap);
    store_fork(bytes, 0xC0, layout, layout.extents.extent);
    store_fork(bytes, 0x110, layout, layout.catalog.extent);
    store_fork(bytes, 0x160, layout, layout.attributes.extent);
    return raw;
}

/// Values in the header node that differ between the three trees.
struct TreeValues {
    std::uint16_t max_key_length;
    std::uint8_t key_compare;
    std::uint32_t attributes;
    std::uint32_t leaf_records;
};

std::vector<std::byte> header_node(const Layout& layout, const TreeLayout& tree, const TreeValues& values) {
    std::vector<std::byte> node(tree.node_size);
    const std::span bytes(node);
    const auto store16 = [&](std::size_t at, std::size_t value) {
        store_be(bytes, at, static_cast<std::uint16_t>(value));
    };
    const auto store32 = [&](std::size_t at, std::uint32_t value) { store_be(bytes, at, value); };
    const std::uint32_t leaf = values.leaf_records != 0 ? 1 : 0; // node 1, if there is one
    store32(0, tree.map_nodes != 0 ? 1 + leaf : 0);
    node[8] = static_cast<std::byte>(HfsPlusNodeKind::header);
    store16(10, 3);
    store16(0x0E, leaf);
    store32(0x10, leaf);
    store32(0x14, values.leaf_records);
    store32(0x18, leaf);
    store32(0x1C, leaf);
    store16(0x20, tree.node_size);
    store16(0x22, values.max_key_length);
    store32(0x24, tree.nodes);
    store32(0x28, tree.nodes - tree.used_nodes);
    store32(0x2E, static_cast<std::uint32_t>(layout.length_of(tree.extent).count));
    node[0x33] = std::byte{values.key_compare};
    store32(0x34, values.attributes);
    // The used nodes are the first nodes; their bits fit into the first one or two bytes of the map.
    constexpr std::size_t user_record = 120, map_record = 248;
    set_bits(bytes.subspan(map_record), 0, tree.used_nodes);
    store16(tree.node_size - 2, hfs_plus_node_descriptor_length);
    store16(tree.node_size - 4, user_record);
    store16(tree.node_size - 6, map_record);
    store16(tree.node_size - 8, tree.node_size - 8);
    return node;
}

std::vector<std::byte> map_node(std::uint32_t node_size, std::uint32_t next) {
    std::vector<std::byte> node(node_size);
    const std::span bytes(node);
    store_be(bytes, 0, next);
    node[8] = static_cast<std::byte>(HfsPlusNodeKind::map);
    store_be(bytes, 10, std::uint16_t{1});
    store_be(bytes, node_size - 2, static_cast<std::uint16_t>(hfs_plus_node_descriptor_length));
    store_be(bytes, node_size - 4, static_cast<std::uint16_t>(node_size - 6));
    return node;
}

void add_tree(std::vector<Piece>& pieces, const Layout& layout, const std::string& name, const TreeLayout& tree,
              const TreeValues& values) {
    const Bytes at = layout.offset_of(tree.extent);
    const Bytes node{tree.node_size};
    pieces.push_back({name + ", header node", at, header_node(layout, tree, values)});
    const std::uint32_t first_map = tree.used_nodes - tree.map_nodes;
    for (std::uint32_t i = 0; i < tree.map_nodes; ++i)
        pieces.push_back({name + ", map node", at + node * (first_map + i),
                          map_node(tree.node_size, i + 1 < tree.map_nodes ? first_map + i + 1 : 0)});
}

/// Emits the bitmap in pieces and skips pieces without any set bit, because the span has been cleared.
void add_bitmap(std::vector<Piece>& pieces, const Layout& layout) {
    constexpr std::uint64_t piece_bytes = 64 << 10;
    const std::vector<HfsPlusExtent> used = layout.used();
    const std::uint64_t length = layout.length_of(layout.bitmap).count;
    for (std::uint64_t at = 0; at < length; at += piece_bytes) {
        std::vector<std::byte> bits = bits_of(used, at * 8, std::min(piece_bytes, length - at));
        if (!all_equal(bits, std::byte{0}))
            pieces.push_back({"allocation file", layout.offset_of(layout.bitmap) + Bytes{at}, std::move(bits)});
    }
}

std::vector<std::byte> journal_info_block(const Layout& layout) {
    constexpr std::uint32_t in_volume = 1, needs_init = 4;
    std::vector<std::byte> raw(hfs_plus_header_length.count);
    // The first kernel that uses the journal writes its header, in its own byte order.
    store_be(std::span(raw), 0, in_volume | needs_init);
    store_be(std::span(raw), 0x24, layout.offset_of(*layout.journal).count);
    store_be(std::span(raw), 0x2C, layout.length_of(*layout.journal).count);
    return raw;
}

} // namespace

std::vector<Span> spans_to_clear(const Layout& layout) {
    // All structures from the volume header to the end of the attributes file are contiguous.
    const Bytes first = layout.block_size * layout.head_blocks;
    const Bytes end = layout.offset_of(layout.attributes.extent) + layout.length_of(layout.attributes.extent);
    return {{"boot blocks and volume header", {}, first},
            {"allocation file to attributes file", first, end - first},
            {"catalog file", layout.offset_of(layout.catalog.extent), layout.length_of(layout.catalog.extent)},
            {"last blocks", layout.block_size * (layout.total_blocks - layout.tail_blocks),
             layout.size - layout.block_size * (layout.total_blocks - layout.tail_blocks)}};
}

std::vector<Piece> structures(const Layout& layout) {
    const bool case_sensitive = layout.options.names == CaseSensitivity::case_sensitive;
    const std::vector<std::vector<std::byte>> records = catalog_records(layout, date_of(layout.options));
    constexpr std::uint8_t case_folding = 0xCF, binary = 0xBC;
    std::vector<Piece> pieces;
    add_bitmap(pieces, layout);
    add_tree(pieces, layout, "extents overflow file", layout.extents, {10, 0, big_keys, 0});
    add_tree(pieces, layout, "attributes file", layout.attributes, {266, 0, big_keys | variable_index_keys, 0});
    add_tree(pieces, layout, "catalog file", layout.catalog,
             {516, case_sensitive ? binary : case_folding, big_keys | variable_index_keys,
              static_cast<std::uint32_t>(records.size())});
    pieces.push_back({"catalog file, root leaf",
                      layout.offset_of(layout.catalog.extent) + Bytes{layout.catalog.node_size},
                      leaf_node(records, layout.catalog.node_size)});
    if (layout.journal_info)
        pieces.push_back({"journal info block", layout.offset_of(*layout.journal_info), journal_info_block(layout)});
    return pieces;
}

std::vector<Piece> volume_headers(const Layout& layout) {
    const std::vector<std::byte> header = volume_header(layout);
    return {{"alternate volume header", layout.size - hfs_plus_header_offset, header},
            {"volume header", hfs_plus_header_offset, header}};
}

} // namespace mediarig::media::hfsplus

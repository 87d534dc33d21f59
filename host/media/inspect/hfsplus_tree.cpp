// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/hfsplus_tree.hpp"

#include <fmt/format.h>

#include <bit>

namespace mediarig::media {

Result<HfsPlusNode> parse_hfs_plus_node(Raw node) {
    const auto kind = static_cast<std::int8_t>(load_be<std::uint8_t>(node, 8));
    if (kind < -1 || kind > 2) return fail(Errc::bad_format, "kind");
    return HfsPlusNode{.next = load_be<std::uint32_t>(node, 0),
                       .previous = load_be<std::uint32_t>(node, 4),
                       .kind = static_cast<HfsPlusNodeKind>(kind),
                       .height = load_be<std::uint8_t>(node, 9),
                       .records = load_be<std::uint16_t>(node, 10)};
}

Result<HfsPlusTree> parse_hfs_plus_tree(Raw raw) {
    const auto node = parse_hfs_plus_node(raw);
    if (!node) return fail(node.error());
    if (node->kind != HfsPlusNodeKind::header) return fail(Errc::bad_format, "kind");
    if (node->records != 3) return fail(Errc::bad_format, "numRecords");
    const HfsPlusTree tree{.depth = load_be<std::uint16_t>(raw, 0x0E),
                           .root = load_be<std::uint32_t>(raw, 0x10),
                           .leaf_records = load_be<std::uint32_t>(raw, 0x14),
                           .first_leaf = load_be<std::uint32_t>(raw, 0x18),
                           .last_leaf = load_be<std::uint32_t>(raw, 0x1C),
                           .node_size = load_be<std::uint16_t>(raw, 0x20),
                           .max_key_length = load_be<std::uint16_t>(raw, 0x22),
                           .total_nodes = load_be<std::uint32_t>(raw, 0x24),
                           .free_nodes = load_be<std::uint32_t>(raw, 0x28),
                           .clump_size = {load_be<std::uint32_t>(raw, 0x2E)},
                           .type = load_be<std::uint8_t>(raw, 0x32),
                           .key_compare = load_be<std::uint8_t>(raw, 0x33),
                           .attributes = load_be<std::uint32_t>(raw, 0x34)};
    if (tree.node_size < 512 || !std::has_single_bit(tree.node_size)) return fail(Errc::bad_format, "nodeSize");
    if (tree.total_nodes == 0) return fail(Errc::bad_format, "totalNodes");
    if (tree.free_nodes >= tree.total_nodes) return fail(Errc::bad_format, "freeNodes");
    // Sixteen levels of nodes with two entries each are more leaves than a medium has room for.
    if (tree.depth > 16) return fail(Errc::bad_format, "treeDepth");
    if (tree.root >= tree.total_nodes || (tree.root == 0) != (tree.depth == 0))
        return fail(Errc::bad_format, "rootNode");
    if (tree.first_leaf >= tree.total_nodes) return fail(Errc::bad_format, "firstLeafNode");
    if (tree.last_leaf >= tree.total_nodes) return fail(Errc::bad_format, "lastLeafNode");
    if (!tree.big_keys()) return fail(Errc::bad_format, "attributes of the tree");
    return tree;
}

Result<std::vector<Raw>> hfs_plus_records(Raw node, std::uint16_t count) {
    const std::size_t table = (std::size_t{count} + 1) * 2;
    if (table + hfs_plus_node_descriptor_length > node.size()) return fail(Errc::bad_format, "numRecords");
    const auto offset = [&](std::size_t record) {
        return std::size_t{load_be<std::uint16_t>(node, node.size() - 2 * (record + 1))};
    };
    std::vector<Raw> records;
    records.reserve(count);
    std::size_t begin = offset(0);
    if (begin != hfs_plus_node_descriptor_length) return fail(Errc::bad_format, "offset of record 0");
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t end = offset(i + 1);
        // Records begin at even offsets, and none is empty.
        if (end <= begin || end % 2 != 0 || end > node.size() - table)
            return fail(Errc::bad_format,
                        i + 1 == count ? "offset of the free space" : fmt::format("offset of record {}", i + 1));
        records.push_back(node.subspan(begin, end - begin));
        begin = end;
    }
    return records;
}

} // namespace mediarig::media

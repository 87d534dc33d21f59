// SPDX-License-Identifier: GPL-3.0-or-later
/// Nodes of an HFS+ B-tree. Pure; trusts no byte. Source: Apple, Technical Note TN1150, "B-Trees".
#pragma once

#include <cstdint>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/inspect/load.hpp"

namespace mediarig::media {

enum class HfsPlusNodeKind : std::int8_t { leaf = -1, index = 0, header = 1, map = 2 };

/// BTNodeDescriptor.
struct HfsPlusNode {
    std::uint32_t next{}, previous{}; ///< node numbers; 0 if there is no such node
    HfsPlusNodeKind kind{};
    std::uint8_t height{}; ///< 1 for leaves, 0 for header and map nodes
    std::uint16_t records{};
    bool operator==(const HfsPlusNode&) const = default;
};

inline constexpr std::size_t hfs_plus_node_descriptor_length = 14;

/// BTHeaderRec, from the first node of a tree.
struct HfsPlusTree {
    std::uint16_t depth{};
    std::uint32_t root{}, leaf_records{}, first_leaf{}, last_leaf{};
    std::uint16_t node_size{}, max_key_length{};
    std::uint32_t total_nodes{}, free_nodes{};
    Bytes clump_size;
    std::uint8_t type{};        ///< 0 in the three trees of a volume
    std::uint8_t key_compare{}; ///< catalog: 0xCF case folding, 0xBC binary; 0 elsewhere
    std::uint32_t attributes{};
    bool operator==(const HfsPlusTree&) const = default;

    [[nodiscard]] bool big_keys() const { return (attributes & 2) != 0; }
    [[nodiscard]] bool variable_index_keys() const { return (attributes & 4) != 0; }
};

/// Parses a tree header. Needs at least 512 bytes of node 0. Fails with bad_format; the detail is the field name.
[[nodiscard]] Result<HfsPlusTree> parse_hfs_plus_tree(Raw first_node);
/// Parses a node descriptor. Needs at least 14 bytes. Fails with bad_format: "kind".
[[nodiscard]] Result<HfsPlusNode> parse_hfs_plus_node(Raw node);
/// Records of a whole node, according to the table at its end. Fails with bad_format: "numRecords", "offset of record
/// 3".
[[nodiscard]] Result<std::vector<Raw>> hfs_plus_records(Raw node, std::uint16_t count);

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/hfsplus_tree.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cstring>

#include "host/media/inspect/hfsplus.hpp"

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
    // Limit of the height: a tree of sixteen levels with two entries in each node has more leaves than fit on a medium.
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
        // Records start at even offsets and are not empty.
        if (end <= begin || end % 2 != 0 || end > node.size() - table)
            return fail(Errc::bad_format,
                        i + 1 == count ? "offset of the free space" : fmt::format("offset of record {}", i + 1));
        records.push_back(node.subspan(begin, end - begin));
        begin = end;
    }
    return records;
}

namespace {

struct ComparedField {
    const char* field;
    std::size_t at;
    unsigned width; ///< 2, 4 or 8 bytes
};

constexpr std::array fixed_fields{
    ComparedField{"signature", 0x00, 2},        ComparedField{"version", 0x02, 2},
    ComparedField{"journalInfoBlock", 0x0C, 4}, ComparedField{"blockSize", 0x28, 4},
    ComparedField{"totalBlocks", 0x2C, 4},      ComparedField{"rsrcClumpSize", 0x38, 4},
    ComparedField{"dataClumpSize", 0x3C, 4},    ComparedField{"finderInfo[6..7]", 0x68, 8}};

constexpr std::size_t fork_length = 80;
constexpr std::array<std::pair<const char*, std::size_t>, 5> forks{{{"allocationFile", 0x70},
                                                                    {"extentsFile", 0xC0},
                                                                    {"catalogFile", 0x110},
                                                                    {"attributesFile", 0x160},
                                                                    {"startupFile", 0x1B0}}};

std::uint64_t value(Raw raw, std::size_t at, unsigned width) {
    switch (width) {
        case 2:
            return load_be<std::uint16_t>(raw, at);
        case 4:
            return load_be<std::uint32_t>(raw, at);
        default:
            return load_be<std::uint64_t>(raw, at);
    }
}

} // namespace

std::vector<HfsPlusDifference> hfs_plus_differences(Raw header, Raw alternate) {
    std::vector<HfsPlusDifference> found;
    const auto compare = [&](std::size_t at, unsigned width, const auto& name) {
        const std::uint64_t here = value(header, at, width), there = value(alternate, at, width);
        if (here != there) found.push_back({.field = name(), .offset = at, .here = here, .alternate = there});
    };
    for (const ComparedField& field : fixed_fields)
        compare(field.at, field.width, [&field] { return std::string(field.field); });
    // Compare only the attribute that determines how to read the volume; mounts change the other attributes.
    const std::uint64_t here = value(header, 4, 4), there = value(alternate, 4, 4);
    if (((here ^ there) & HfsPlusHeader::journaled_bit) != 0)
        found.push_back({.field = "attributes", .offset = 4, .here = here, .alternate = there});
    for (const auto& [fork, at] : forks) {
        if (std::memcmp(header.data() + at, alternate.data() + at, fork_length) == 0) continue;
        const auto named = [fork = fork](const char* what) { return [=] { return fmt::format("{}.{}", fork, what); }; };
        compare(at, 8, named("logicalSize"));
        compare(at + 8, 4, named("clumpSize"));
        compare(at + 12, 4, named("totalBlocks"));
        for (std::size_t i = 0; i < 8; ++i) {
            compare(at + 16 + 8 * i, 4, [=, fork = fork] { return fmt::format("{}.extents[{}].startBlock", fork, i); });
            compare(at + 20 + 8 * i, 4, [=, fork = fork] { return fmt::format("{}.extents[{}].blockCount", fork, i); });
        }
    }
    return found;
}

std::string hfs_plus_attributes_text(std::uint32_t attributes) {
    static constexpr std::array<std::pair<unsigned, const char*>, 12> names{{{7, "hardware lock"},
                                                                             {8, "unmounted"},
                                                                             {9, "spared blocks"},
                                                                             {10, "no cache"},
                                                                             {11, "boot volume inconsistent"},
                                                                             {12, "catalog IDs reused"},
                                                                             {13, "journaled"},
                                                                             {14, "inconsistent"},
                                                                             {15, "software lock"},
                                                                             {29, "expanded times"},
                                                                             {30, "content protection"},
                                                                             {31, "unused nodes zeroed"}}};
    std::vector<std::string> set;
    for (const auto& [bit, name] : names) {
        if ((attributes >> bit & 1u) == 0) continue;
        set.emplace_back(name);
        attributes &= ~(1u << bit);
    }
    if (attributes != 0) set.push_back(fmt::format("{:#x}", attributes));
    return set.empty() ? "none" : fmt::format("{}", fmt::join(set, ", "));
}

} // namespace mediarig::media

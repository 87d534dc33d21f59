// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "host/media/inspect/apfs.hpp"

namespace mediarig::media {
namespace {

/// Nodes of an object map have keys and values of fixed size: their table holds two 16-bit offsets an entry.
struct FixedNode {
    bool leaf{};
    std::uint32_t count{};
    std::size_t table{}, keys{}, values_end{};
};

constexpr std::size_t node_data = 0x38;
constexpr std::size_t root_info_size = 40;
constexpr std::size_t key_size = 16;

Result<FixedNode> parse_fixed_node(Raw node) {
    const auto type = static_cast<std::uint16_t>(load_le<std::uint32_t>(node, 0x18));
    const bool root = type == static_cast<std::uint16_t>(ApfsType::btree_root);
    const auto object = parse_apfs_object(node, root ? ApfsType::btree_root : ApfsType::btree_node);
    if (!object) return fail(object.error());
    const auto flags = load_le<std::uint16_t>(node, 0x20);
    if ((flags & 4) == 0) return fail(Errc::bad_format, "btn_flags");
    const FixedNode parsed{
        .leaf = (flags & 2) != 0,
        .count = load_le<std::uint32_t>(node, 0x24),
        .table = node_data + load_le<std::uint16_t>(node, 0x28),
        .keys = node_data + load_le<std::uint16_t>(node, 0x28) + std::size_t{load_le<std::uint16_t>(node, 0x2A)},
        .values_end = node.size() - (root ? root_info_size : 0)};
    if (parsed.keys > parsed.values_end || parsed.count > (parsed.keys - parsed.table) / 4)
        return fail(Errc::bad_format, "btn_table_space");
    return parsed;
}

} // namespace

Result<std::uint64_t> parse_apfs_object_map(Raw block) {
    const auto object = parse_apfs_object(block, ApfsType::object_map);
    if (!object) return fail(object.error());
    return load_le<std::uint64_t>(block, 0x30);
}

Result<ApfsStep> step_in_apfs_object_map(Raw node, std::uint64_t oid, std::uint64_t xid) {
    const auto parsed = parse_fixed_node(node);
    if (!parsed) return fail(parsed.error());
    const std::size_t value_size = parsed->leaf ? 16 : 8;

    // Entries are sorted in an intact node, but nothing here relies on it: the greatest key not above is taken.
    std::pair<std::uint64_t, std::uint64_t> best{};
    std::size_t best_value = 0;
    for (std::size_t i = 0; i < parsed->count; ++i) {
        const std::size_t key = parsed->keys + load_le<std::uint16_t>(node, parsed->table + 4 * i);
        const std::size_t back = load_le<std::uint16_t>(node, parsed->table + 4 * i + 2);
        if (key + key_size > parsed->values_end || back > parsed->values_end || back < value_size)
            return fail(Errc::bad_format, fmt::format("entry {} of an object map node", i));
        const std::pair found{load_le<std::uint64_t>(node, key), load_le<std::uint64_t>(node, key + 8)};
        if (found <= std::pair{oid, xid} && (best_value == 0 || found >= best)) {
            best = found;
            best_value = parsed->values_end - back;
        }
    }
    if (best_value == 0 || (parsed->leaf && best.first != oid))
        return fail(Errc::bad_format, fmt::format("object {:#x} is not in the object map", oid));
    // A leaf's value is flags, size and address; an inner node's the address of a child.
    return ApfsStep{.found = parsed->leaf,
                    .address = load_le<std::uint64_t>(node, best_value + (parsed->leaf ? 8 : 0))};
}

Result<ApfsVolume> parse_apfs_volume(Raw block) {
    const auto object = parse_apfs_object(block, ApfsType::volume);
    if (!object) return fail(object.error());
    if (std::memcmp(block.data() + 0x20, "APSB", 4) != 0) return fail(Errc::bad_format, "apfs_magic");
    const auto incompatible = load_le<std::uint64_t>(block, 0x38);
    const auto flags = load_le<std::uint64_t>(block, 0x108);
    ApfsVolume volume{.object = *object,
                      .name = text_from_utf8(block.subspan(0x2C0, 256)),
                      .uuid = uuid_text(block.subspan(0xF0, 16)),
                      .formatted_by = text_from_utf8(block.subspan(0x110, 32)),
                      .features = load_le<std::uint64_t>(block, 0x28),
                      .incompatible_features = incompatible,
                      .case_sensitive = (incompatible & 1) == 0,
                      .encrypted = (flags & 1) == 0,
                      .role = load_le<std::uint16_t>(block, 0x3C4),
                      .reserve_blocks = load_le<std::uint64_t>(block, 0x48),
                      .quota_blocks = load_le<std::uint64_t>(block, 0x50),
                      .allocated_blocks = load_le<std::uint64_t>(block, 0x58),
                      .files = load_le<std::uint64_t>(block, 0xB8),
                      .folders = load_le<std::uint64_t>(block, 0xC0),
                      .snapshots = load_le<std::uint64_t>(block, 0xD8),
                      .index = load_le<std::uint32_t>(block, 0x24),
                      .readonly_features = load_le<std::uint64_t>(block, 0x30),
                      .flags = flags,
                      .formatted = load_le<std::uint64_t>(block, 0x130),
                      .last_modified = load_le<std::uint64_t>(block, 0x100),
                      .unmounted = load_le<std::uint64_t>(block, 0x40),
                      .object_map_oid = load_le<std::uint64_t>(block, 0x80),
                      .modified_by = {}};
    constexpr std::size_t first = 0x140, record = 48, records = 8;
    for (std::size_t at = first; at < first + record * records; at += record) {
        if (block[at] == std::byte{0}) break;
        volume.modified_by.push_back({.by = text_from_utf8(block.subspan(at, 32)),
                                      .when = load_le<std::uint64_t>(block, at + 32),
                                      .xid = load_le<std::uint64_t>(block, at + 40)});
    }
    return volume;
}

} // namespace mediarig::media

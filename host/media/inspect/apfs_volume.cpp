// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstring>
#include <span>
#include <utility>

#include "host/media/inspect/apfs.hpp"

namespace mediarig::media {
namespace {

/// Nodes of an object map have keys and values of fixed size: their table has two 16-bit offsets for each entry.
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

    // Entries of an intact node are sorted. The search does not rely on that order: it takes the greatest key that is
    // not above the requested key.
    std::pair<std::uint64_t, std::uint64_t> best{};
    std::size_t best_value = 0;
    for (std::size_t i = 0; i < parsed->count; ++i) {
        const std::size_t key = parsed->keys + load_le<std::uint16_t>(node, parsed->table + 4 * i);
        const std::size_t back = load_le<std::uint16_t>(node, parsed->table + 4 * i + 2);
        if (key + key_size > parsed->values_end || back > parsed->values_end || back < value_size)
            return fail(Errc::bad_format,
                        fmt::format("the key or the value of entry {} is not completely inside the node", i));
        const std::pair found{load_le<std::uint64_t>(node, key), load_le<std::uint64_t>(node, key + 8)};
        if (found <= std::pair{oid, xid} && (best_value == 0 || found >= best)) {
            best = found;
            best_value = parsed->values_end - back;
        }
    }
    if (best_value == 0 || (parsed->leaf && best.first != oid))
        return fail(Errc::bad_format, fmt::format("object {:#x} is not in the object map", oid));
    // The value in a leaf is flags, size and address; in an inner node it is the address of a child.
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

Result<ApfsObject> parse_apfs_object(Raw block, ApfsType expected) {
    if (block.size() < 4096 || block.size() > 65536 || block.size() % 4096 != 0)
        return fail(Errc::bad_format, fmt::format("block of {} bytes", block.size()));
    const auto stored = load_le<std::uint64_t>(block, 0);
    if (const auto computed = apfs_checksum(block); stored != computed)
        return fail(Errc::bad_format, fmt::format("o_cksum: {:#018x} stored, {:#018x} computed", stored, computed));
    const auto type = static_cast<std::uint16_t>(load_le<std::uint32_t>(block, 0x18));
    if (type != static_cast<std::uint16_t>(expected))
        return fail(Errc::bad_format,
                    fmt::format("o_type: {:#x}, expected {:#x}", type, static_cast<unsigned>(expected)));
    return ApfsObject{
        .oid = load_le<std::uint64_t>(block, 0x08), .xid = load_le<std::uint64_t>(block, 0x10), .type = type};
}

namespace {

std::uint64_t divided_up(std::uint64_t amount, std::uint64_t unit) {
    return amount / unit + (amount % unit == 0 ? 0 : 1);
}

} // namespace

Result<ApfsSpace> parse_apfs_space(Raw block) {
    const auto object = parse_apfs_object(block, ApfsType::space_manager);
    if (!object) return fail(object.error());
    // The record of the main device is at 0x30, that of the second device at 0x60.
    const ApfsSpace space{.block_size = load_le<std::uint32_t>(block, 0x20),
                          .blocks_per_chunk = load_le<std::uint32_t>(block, 0x24),
                          .chunks_per_cib = load_le<std::uint32_t>(block, 0x28),
                          .cibs_per_cab = load_le<std::uint32_t>(block, 0x2C),
                          .block_count = load_le<std::uint64_t>(block, 0x30),
                          .chunk_count = load_le<std::uint64_t>(block, 0x38),
                          .cib_count = load_le<std::uint32_t>(block, 0x40),
                          .cab_count = load_le<std::uint32_t>(block, 0x44),
                          .free_blocks = load_le<std::uint64_t>(block, 0x48),
                          .second_block_count = load_le<std::uint64_t>(block, 0x60),
                          .second_free_blocks = load_le<std::uint64_t>(block, 0x78),
                          .pool_blocks = load_le<std::uint64_t>(block, 0x98),
                          .pool_base = load_le<std::uint64_t>(block, 0xB0),
                          .pool_bitmap_base = load_le<std::uint64_t>(block, 0xA8),
                          .pool_bitmap_blocks = load_le<std::uint32_t>(block, 0xA4)};
    if (space.blocks_per_chunk == 0) return fail(Errc::bad_format, "sm_blocks_per_chunk");
    if (space.chunks_per_cib == 0) return fail(Errc::bad_format, "sm_chunks_per_cib");
    if (space.cibs_per_cab == 0) return fail(Errc::bad_format, "sm_cibs_per_cab");
    if (space.chunk_count != divided_up(space.block_count, space.blocks_per_chunk))
        return fail(Errc::bad_format, "sm_chunk_count");
    if (space.cib_count != divided_up(space.chunk_count, space.chunks_per_cib))
        return fail(Errc::bad_format, "sm_cib_count");
    if (space.free_blocks > space.block_count) return fail(Errc::bad_format, "sm_free_count");
    if (space.second_free_blocks > space.second_block_count) return fail(Errc::bad_format, "sm_free_count of SD_TIER2");
    return space;
}

std::optional<std::string> contradiction(const ApfsSpace& space, const ApfsContainer& container) {
    const auto inside = [&container](std::uint64_t base, std::uint64_t blocks) {
        return base < container.block_count && blocks <= container.block_count - base;
    };
    if (space.block_size != container.block_size.count) return "sm_block_size";
    // The second device of a Fusion drive has a separate address range.
    if (container.fusion()) return std::nullopt;
    if (space.block_count != container.block_count) return "sm_block_count";
    if (!inside(space.pool_base, space.pool_blocks)) return "sm_ip_base and sm_ip_block_count";
    if (!inside(space.pool_bitmap_base, space.pool_bitmap_blocks)) return "sm_ip_bm_base and sm_ip_bm_block_count";
    return std::nullopt;
}

namespace {

struct NamedBit {
    std::uint64_t bit;
    const char* name;
};

constexpr NamedBit of_container_features[] = {{1, "defragmentation"}, {2, "low-capacity Fusion drive"}};
constexpr NamedBit of_container_incompatible[] = {{1, "version 1"}, {2, "version 2"}, {0x100, "Fusion"}};
constexpr NamedBit of_container_flags[] = {{4, "software encryption"}};
constexpr NamedBit of_volume_features[] = {{1, "defragmentation (prerelease)"},
                                           {2, "hard link map"},
                                           {4, "defragmentation"},
                                           {8, "strict access times"},
                                           {0x10, "volume group system inodes"}};
constexpr NamedBit of_volume_incompatible[] = {{1, "case-insensitive"},          {2, "dataless snapshots"},
                                               {4, "encryption keys changed"},   {8, "normalization-insensitive"},
                                               {0x10, "restoring not complete"}, {0x20, "sealed"}};
constexpr NamedBit of_volume_flags[] = {{1, "unencrypted"},
                                        {2, "effaceable"},
                                        {8, "one key"},
                                        {0x10, "spilled over"},
                                        {0x20, "spill-over cleaner to run"},
                                        {0x40, "extent references to be checked"}};

std::span<const NamedBit> names_of(ApfsBits field) {
    switch (field) {
        case ApfsBits::container_features:
            return of_container_features;
        case ApfsBits::container_incompatible:
            return of_container_incompatible;
        case ApfsBits::container_flags:
            return of_container_flags;
        case ApfsBits::volume_features:
            return of_volume_features;
        case ApfsBits::volume_incompatible:
            return of_volume_incompatible;
        case ApfsBits::volume_flags:
            return of_volume_flags;
        case ApfsBits::volume_readonly:
            break; // no names of these bits are published
    }
    return {};
}

} // namespace

std::string apfs_bits_text(ApfsBits field, std::uint64_t bits) {
    std::vector<std::string> set;
    for (const auto& [bit, name] : names_of(field)) {
        if ((bits & bit) == 0) continue;
        set.emplace_back(name);
        bits &= ~bit;
    }
    if (bits != 0) set.push_back(fmt::format("{:#x}", bits));
    return set.empty() ? "none" : fmt::format("{}", fmt::join(set, ", "));
}

std::string apfs_role_text(std::uint16_t role) {
    static constexpr NamedBit roles[] = {
        {0, "none"},       {1, "system"},       {2, "user"},       {4, "recovery"},       {8, "VM"},
        {0x10, "preboot"}, {0x20, "installer"}, {0x40, "data"},    {0x80, "baseband"},    {0xC0, "update"},
        {0x100, "xART"},   {0x140, "hardware"}, {0x180, "backup"}, {0x240, "enterprise"}, {0x2C0, "prelogin"}};
    for (const auto& [value, name] : roles)
        if (value == role) return name;
    return fmt::format("{:#x}", role);
}

std::string apfs_time_text(std::uint64_t nanoseconds) {
    if (nanoseconds == 0) return "never";
    const std::chrono::sys_seconds when{std::chrono::seconds(nanoseconds / 1'000'000'000)};
    const auto day = std::chrono::floor<std::chrono::days>(when);
    const std::chrono::year_month_day calendar(day);
    const std::chrono::hh_mm_ss time(when - day);
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", static_cast<int>(calendar.year()),
                       static_cast<unsigned>(calendar.month()), static_cast<unsigned>(calendar.day()),
                       time.hours().count(), time.minutes().count(), time.seconds().count());
}

} // namespace mediarig::media

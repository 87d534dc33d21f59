// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "host/media/inspect/apfs.hpp"

namespace mediarig::media {
namespace {

constexpr std::uint32_t most_volume_slots = 100;
/// Bit 31 of an area's length: the area is not contiguous, and a tree lists its blocks. Observed only on huge
/// containers.
constexpr std::uint32_t scattered = 0x80000000;

/// Apple's containers have a few hundred of these blocks. The limit prevents a damaged field from causing a read of the
/// whole medium.
constexpr std::uint32_t most_descriptor_blocks = 16384;

Result<void> check_layout(const ApfsContainer& container) {
    if (container.block_count == 0 || container.block_count > ~0ULL / container.block_size.count)
        return fail(Errc::bad_format, "nx_block_count");
    const auto inside = [&container](std::uint64_t base, std::uint32_t blocks) {
        return (blocks & scattered) == 0 && blocks > 0 && base < container.block_count &&
               blocks <= container.block_count - base;
    };
    if (!inside(container.descriptor_base, container.descriptor_blocks) ||
        container.descriptor_blocks > most_descriptor_blocks)
        return fail(Errc::bad_format, "nx_xp_desc_base and nx_xp_desc_blocks");
    if (!inside(container.data_base, container.data_blocks))
        return fail(Errc::bad_format, "nx_xp_data_base and nx_xp_data_blocks");
    if (container.descriptor_index >= container.descriptor_blocks ||
        container.descriptor_length > container.descriptor_blocks)
        return fail(Errc::bad_format, "nx_xp_desc_index and nx_xp_desc_len");
    if (container.object_map_oid >= container.block_count) return fail(Errc::bad_format, "nx_omap_oid");
    if (container.next_xid <= container.object.xid) return fail(Errc::bad_format, "nx_next_xid");
    if (container.most_volumes > most_volume_slots) return fail(Errc::bad_format, "nx_max_file_systems");
    return {};
}

} // namespace

bool is_apfs(Raw block) {
    return block.size() >= 4096 && std::memcmp(block.data() + 0x20, "NXSB", 4) == 0;
}

Result<Bytes> apfs_block_size(Raw first_4096_bytes) {
    if (!is_apfs(first_4096_bytes)) return fail(Errc::bad_format, "nx_magic");
    const auto size = load_le<std::uint32_t>(first_4096_bytes, 0x24);
    if (size < 4096 || size > 65536 || !std::has_single_bit(size)) return fail(Errc::bad_format, "nx_block_size");
    return Bytes{size};
}

Result<ApfsContainer> parse_apfs_container(Raw block) {
    const auto size = apfs_block_size(block);
    if (!size) return fail(size.error());
    if (size->count != block.size()) return fail(Errc::bad_format, "nx_block_size");
    const auto object = parse_apfs_object(block, ApfsType::container);
    if (!object) return fail(object.error());

    ApfsContainer container{
        .object = *object,
        .block_size = *size,
        .block_count = load_le<std::uint64_t>(block, 0x28),
        .features = load_le<std::uint64_t>(block, 0x30),
        .readonly_features = load_le<std::uint64_t>(block, 0x38),
        .incompatible_features = load_le<std::uint64_t>(block, 0x40),
        .uuid = uuid_text(block.subspan(0x48, 16)),
        .next_oid = load_le<std::uint64_t>(block, 0x58),
        .next_xid = load_le<std::uint64_t>(block, 0x60),
        .descriptor_base = load_le<std::uint64_t>(block, 0x70),
        .descriptor_blocks = load_le<std::uint32_t>(block, 0x68),
        .descriptor_index = load_le<std::uint32_t>(block, 0x88),
        .descriptor_length = load_le<std::uint32_t>(block, 0x8C),
        .data_base = load_le<std::uint64_t>(block, 0x78),
        .data_blocks = load_le<std::uint32_t>(block, 0x6C),
        .space_manager_oid = load_le<std::uint64_t>(block, 0x98),
        .object_map_oid = load_le<std::uint64_t>(block, 0xA0),
        .reaper_oid = load_le<std::uint64_t>(block, 0xA8),
        .most_volumes = load_le<std::uint32_t>(block, 0xB4),
        .flags = load_le<std::uint64_t>(block, 0x4F0),
        .fusion_uuid = all_equal(block.subspan(0x500, 16), std::byte{0}) ? "" : uuid_text(block.subspan(0x500, 16)),
        .keylocker = load_le<std::uint64_t>(block, 0x510),
        .volume_oids = {}};
    if (const auto layout = check_layout(container); !layout) return fail(layout.error());
    for (std::size_t slot = 0; slot < container.most_volumes; ++slot)
        if (const auto oid = load_le<std::uint64_t>(block, 0xB8 + 8 * slot); oid != 0)
            container.volume_oids.push_back(oid);
    return container;
}

Result<ApfsDescriptorArea> apfs_descriptor_area(Raw block) {
    const ApfsDescriptorArea area{.base = load_le<std::uint64_t>(block, 0x70),
                                  .blocks = load_le<std::uint32_t>(block, 0x68)};
    if (area.blocks == 0 || area.blocks > most_descriptor_blocks || area.base > ~0ULL / block.size() - area.blocks)
        return fail(Errc::bad_format, "nx_xp_desc_base and nx_xp_desc_blocks");
    return area;
}

Result<std::vector<ApfsMapping>> parse_apfs_checkpoint_map(Raw block) {
    const auto object = parse_apfs_object(block, ApfsType::checkpoint_map);
    if (!object) return fail(object.error());
    constexpr std::size_t first_entry = 0x28, entry_size = 40;
    const auto count = load_le<std::uint32_t>(block, 0x24);
    if (count > (block.size() - first_entry) / entry_size) return fail(Errc::bad_format, "cpm_count");
    std::vector<ApfsMapping> mappings;
    for (std::size_t i = 0; i < count; ++i) {
        const Raw entry = block.subspan(first_entry + i * entry_size, entry_size);
        mappings.push_back({.type = static_cast<std::uint16_t>(load_le<std::uint32_t>(entry, 0)),
                            .oid = load_le<std::uint64_t>(entry, 24),
                            .address = load_le<std::uint64_t>(entry, 32)});
    }
    return mappings;
}

} // namespace mediarig::media

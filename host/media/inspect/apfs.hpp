// SPDX-License-Identifier: GPL-3.0-or-later
/// What APFS keeps on a medium, as far as a tester needs it: container, checkpoint, free space, volumes. Pure; trusts
/// no byte. Source: Apple, "Apple File System Reference" (2020-06-22).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "host/media/inspect/load.hpp"
#include "host/result.hpp"

namespace mediarig::media {

/// Low 16 bits of an object's type.
enum class ApfsType : std::uint16_t {
    container = 1,
    btree_root = 2,
    btree_node = 3,
    space_manager = 5,
    object_map = 0xB,
    checkpoint_map = 0xC,
    volume = 0xD,
};

/// The header that every metadata block begins with.
struct ApfsObject {
    std::uint64_t oid{};
    std::uint64_t xid{}; ///< transaction that wrote it
    std::uint16_t type{};
    bool operator==(const ApfsObject&) const = default;
};

/// Fletcher-64 as APFS uses it: over the whole block but its first eight bytes. Needs a multiple of 4, at least 8.
[[nodiscard]] std::uint64_t apfs_checksum(Raw block);
/// Checks size, checksum and type. Fails with bad_format: "o_cksum …" or "o_type …".
[[nodiscard]] Result<ApfsObject> parse_apfs_object(Raw block, ApfsType expected);

/// nx_superblock_t. Addresses are block numbers from the container's start.
struct ApfsContainer {
    ApfsObject object;
    Bytes block_size;
    std::uint64_t block_count{};
    std::uint64_t features{}, incompatible_features{};
    std::string uuid;
    std::uint64_t descriptor_base{}; ///< checkpoint descriptor area: maps and copies of this superblock
    std::uint32_t descriptor_blocks{};
    std::uint32_t descriptor_index{}, descriptor_length{}; ///< this checkpoint's part of the (ring) area
    std::uint64_t data_base{};
    std::uint32_t data_blocks{};
    std::uint64_t space_manager_oid{}, object_map_oid{};
    std::uint32_t most_volumes{};
    std::uint64_t flags{};
    std::vector<std::uint64_t> volume_oids;
    bool operator==(const ApfsContainer&) const = default;
};

[[nodiscard]] bool is_apfs(Raw block);
/// The block size that an unchecked superblock names; 4096 to 65536. Fails with bad_format "nx_block_size".
[[nodiscard]] Result<Bytes> apfs_block_size(Raw first_4096_bytes);
/// Takes one whole block. Fails with bad_format, naming the field.
[[nodiscard]] Result<ApfsContainer> parse_apfs_container(Raw block);

/// One entry of a checkpoint map: where an ephemeral object of this checkpoint lies.
struct ApfsMapping {
    std::uint16_t type{};
    std::uint64_t oid{};
    std::uint64_t address{};
    bool operator==(const ApfsMapping&) const = default;
};
[[nodiscard]] Result<std::vector<ApfsMapping>> parse_apfs_checkpoint_map(Raw block);

/// spaceman_phys_t: the main device only.
struct ApfsSpace {
    std::uint64_t block_count{};
    std::uint64_t free_blocks{};
    bool operator==(const ApfsSpace&) const = default;
};
[[nodiscard]] Result<ApfsSpace> parse_apfs_space(Raw block);

/// omap_phys_t: the address of its tree's root node.
[[nodiscard]] Result<std::uint64_t> parse_apfs_object_map(Raw block);

/// One step down an object map's tree.
struct ApfsStep {
    bool found{}; ///< true: `address` is the object; false: the next node to look into
    std::uint64_t address{};
    bool operator==(const ApfsStep&) const = default;
};
/// Looks for the newest version of `oid` that is not newer than `xid` in one node.
/// Fails with bad_format: the node is damaged, or the object is not there.
[[nodiscard]] Result<ApfsStep> step_in_apfs_object_map(Raw node, std::uint64_t oid, std::uint64_t xid);

/// apfs_superblock_t.
struct ApfsVolume {
    ApfsObject object;
    std::string name, uuid;
    std::string formatted_by; ///< tells Apple's newfs_apfs from mkapfs
    std::uint64_t features{}, incompatible_features{};
    bool case_sensitive{};
    bool encrypted{};
    std::uint16_t role{}; ///< 0 = none
    std::uint64_t reserve_blocks{}, quota_blocks{}, allocated_blocks{};
    std::uint64_t files{}, folders{}, snapshots{};
    bool operator==(const ApfsVolume&) const = default;
};
[[nodiscard]] Result<ApfsVolume> parse_apfs_volume(Raw block);

} // namespace mediarig::media

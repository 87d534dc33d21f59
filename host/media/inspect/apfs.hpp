// SPDX-License-Identifier: GPL-3.0-or-later
/// APFS structures needed by a tester: container, checkpoint, free space, volumes. Pure; trusts no byte. Source: Apple,
/// "Apple File System Reference" (2020-06-22).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/inspect/load.hpp"

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

/// Header of every metadata block.
struct ApfsObject {
    std::uint64_t oid{};
    std::uint64_t xid{}; ///< transaction that wrote the block
    std::uint16_t type{};
    bool operator==(const ApfsObject&) const = default;
};

/// Fletcher-64 in the APFS variant: over the whole block except its first eight bytes. Needs a multiple of 4 bytes, at
/// least 8 bytes.
[[nodiscard]] std::uint64_t apfs_checksum(Raw block);
/// Checks size, checksum and type. Fails with bad_format: "o_cksum …" or "o_type …".
[[nodiscard]] Result<ApfsObject> parse_apfs_object(Raw block, ApfsType expected);

/// nx_superblock_t. Addresses are block numbers from the start of the container.
struct ApfsContainer {
    ApfsObject object;
    Bytes block_size;
    std::uint64_t block_count{};
    std::uint64_t features{}, readonly_features{}, incompatible_features{};
    std::string uuid;
    std::uint64_t next_oid{}, next_xid{};
    std::uint64_t descriptor_base{}; ///< checkpoint descriptor area: maps and copies of this superblock
    std::uint32_t descriptor_blocks{};
    std::uint32_t descriptor_index{}, descriptor_length{}; ///< part of the (ring) area that this checkpoint occupies
    std::uint64_t data_base{};
    std::uint32_t data_blocks{};
    std::uint64_t space_manager_oid{}, object_map_oid{}, reaper_oid{};
    std::uint32_t most_volumes{};
    std::uint64_t flags{};
    std::string fusion_uuid;   ///< empty if the container is not on a Fusion drive
    std::uint64_t keylocker{}; ///< first block of the key store; 0 if there is no key store
    std::vector<std::uint64_t> volume_oids;
    bool operator==(const ApfsContainer&) const = default;

    [[nodiscard]] bool software_crypto() const { return (flags & 4) != 0; }
    [[nodiscard]] bool fusion() const { return (incompatible_features & 0x100) != 0; }
};

[[nodiscard]] bool is_apfs(Raw block);
/// Block size in an unchecked superblock; 4096 to 65536. Fails with bad_format "nx_block_size".
[[nodiscard]] Result<Bytes> apfs_block_size(Raw first_4096_bytes);
/// Parses a superblock from one whole block. Fails with bad_format and names the field.
[[nodiscard]] Result<ApfsContainer> parse_apfs_container(Raw block);

/// Descriptor area according to a superblock with a wrong checksum; used to search for valid copies.
struct ApfsDescriptorArea {
    std::uint64_t base{};
    std::uint32_t blocks{};
};
/// Parses the area from one whole block, without other checks. Fails with bad_format if the area is impossible.
[[nodiscard]] Result<ApfsDescriptorArea> apfs_descriptor_area(Raw block);

/// One entry of a checkpoint map: the address of an ephemeral object of this checkpoint.
struct ApfsMapping {
    std::uint16_t type{};
    std::uint64_t oid{};
    std::uint64_t address{};
    bool operator==(const ApfsMapping&) const = default;
};
[[nodiscard]] Result<std::vector<ApfsMapping>> parse_apfs_checkpoint_map(Raw block);

/// spaceman_phys_t.
struct ApfsSpace {
    std::uint32_t block_size{}, blocks_per_chunk{}, chunks_per_cib{}, cibs_per_cab{};
    std::uint64_t block_count{}; ///< blocks of the main device, like the following fields
    std::uint64_t chunk_count{};
    std::uint32_t cib_count{}, cab_count{}; ///< blocks that describe chunks, and blocks that list those blocks
    std::uint64_t free_blocks{};
    std::uint64_t second_block_count{}, second_free_blocks{}; ///< blocks of the second device of a Fusion drive
    std::uint64_t pool_blocks{}, pool_base{};                 ///< internal pool: blocks of the space manager itself
    std::uint64_t pool_bitmap_base{};
    std::uint32_t pool_bitmap_blocks{};
    bool operator==(const ApfsSpace&) const = default;
};
/// Checks the fields for consistency. Fails with bad_format and names the field.
[[nodiscard]] Result<ApfsSpace> parse_apfs_space(Raw block);
/// Name of a field that contradicts the container; empty if there is no contradiction.
[[nodiscard]] std::optional<std::string> contradiction(const ApfsSpace& space, const ApfsContainer& container);

/// omap_phys_t: returns the address of its tree's root node.
[[nodiscard]] Result<std::uint64_t> parse_apfs_object_map(Raw block);

/// Result of one step from the root towards the leaves in the tree of an object map.
struct ApfsStep {
    bool found{}; ///< true: `address` is the object; false: `address` is the next node
    std::uint64_t address{};
    bool operator==(const ApfsStep&) const = default;
};
/// Searches one node for the newest version of `oid` with a transaction of at most `xid`. Fails with bad_format if the
/// node is damaged or does not contain the object.
[[nodiscard]] Result<ApfsStep> step_in_apfs_object_map(Raw node, std::uint64_t oid, std::uint64_t xid);

/// Software that changed a volume, and the time.
struct ApfsModification {
    std::string by;
    std::uint64_t when{}; ///< nanoseconds since 1970-01-01 00:00 UTC
    std::uint64_t xid{};
    bool operator==(const ApfsModification&) const = default;
};

/// apfs_superblock_t.
struct ApfsVolume {
    ApfsObject object;
    std::string name, uuid;
    std::string formatted_by; ///< distinguishes Apple's newfs_apfs from mkapfs
    std::uint64_t features{}, incompatible_features{};
    bool case_sensitive{};
    bool encrypted{};
    std::uint16_t role{}; ///< 0 if the volume has no role
    std::uint64_t reserve_blocks{}, quota_blocks{}, allocated_blocks{};
    std::uint64_t files{}, folders{}, snapshots{};
    std::uint32_t index{}; ///< slot in the container
    std::uint64_t readonly_features{}, flags{};
    std::uint64_t formatted{}, last_modified{}, unmounted{}; ///< nanoseconds since 1970
    std::uint64_t object_map_oid{};                          ///< block of the volume's own object map
    std::vector<ApfsModification> modified_by;               ///< newest first, at most eight
    bool operator==(const ApfsVolume&) const = default;

    [[nodiscard]] bool normalization_insensitive() const { return (incompatible_features & 9) != 0; }
};
[[nodiscard]] Result<ApfsVolume> parse_apfs_volume(Raw block);

/// Names of the set bits: "defragmentation, 0x40", unknown bits in hexadecimal; "none" for 0.
enum class ApfsBits : std::uint8_t {
    container_features,
    container_incompatible,
    container_flags,
    volume_features,
    volume_readonly,
    volume_incompatible,
    volume_flags
};
[[nodiscard]] std::string apfs_bits_text(ApfsBits field, std::uint64_t bits);
/// "none", "system", …; an unknown role in hexadecimal.
[[nodiscard]] std::string apfs_role_text(std::uint16_t role);
/// "2023-11-14 22:13:20"; "never" for 0.
[[nodiscard]] std::string apfs_time_text(std::uint64_t nanoseconds);

} // namespace mediarig::media

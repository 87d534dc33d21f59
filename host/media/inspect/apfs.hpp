// SPDX-License-Identifier: GPL-3.0-or-later
/// What APFS keeps on a medium, as far as a tester needs it: container, checkpoint, free space, volumes. Pure; trusts
/// no byte. Source: Apple, "Apple File System Reference" (2020-06-22).
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
    std::uint64_t features{}, readonly_features{}, incompatible_features{};
    std::string uuid;
    std::uint64_t next_oid{}, next_xid{};
    std::uint64_t descriptor_base{}; ///< checkpoint descriptor area: maps and copies of this superblock
    std::uint32_t descriptor_blocks{};
    std::uint32_t descriptor_index{}, descriptor_length{}; ///< this checkpoint's part of the (ring) area
    std::uint64_t data_base{};
    std::uint32_t data_blocks{};
    std::uint64_t space_manager_oid{}, object_map_oid{}, reaper_oid{};
    std::uint32_t most_volumes{};
    std::uint64_t flags{};
    std::string fusion_uuid;   ///< empty: not a Fusion drive
    std::uint64_t keylocker{}; ///< first block of the keys' store; 0 = none
    std::vector<std::uint64_t> volume_oids;
    bool operator==(const ApfsContainer&) const = default;

    [[nodiscard]] bool software_crypto() const { return (flags & 4) != 0; }
    [[nodiscard]] bool fusion() const { return (incompatible_features & 0x100) != 0; }
};

[[nodiscard]] bool is_apfs(Raw block);
/// The block size that an unchecked superblock names; 4096 to 65536. Fails with bad_format "nx_block_size".
[[nodiscard]] Result<Bytes> apfs_block_size(Raw first_4096_bytes);
/// Takes one whole block. Fails with bad_format, naming the field.
[[nodiscard]] Result<ApfsContainer> parse_apfs_container(Raw block);

/// The descriptor area that a superblock names whose checksum is wrong: a place to look for its valid copies.
struct ApfsDescriptorArea {
    std::uint64_t base{};
    std::uint32_t blocks{};
};
/// Takes one whole block, unchecked. Fails with bad_format where the area cannot be one.
[[nodiscard]] Result<ApfsDescriptorArea> apfs_descriptor_area(Raw block);

/// One entry of a checkpoint map: where an ephemeral object of this checkpoint lies.
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
    std::uint64_t block_count{}; ///< of the main device, as all that follow
    std::uint64_t chunk_count{};
    std::uint32_t cib_count{}, cab_count{}; ///< blocks that describe chunks, and blocks that list those
    std::uint64_t free_blocks{};
    std::uint64_t second_block_count{}, second_free_blocks{}; ///< of the second device of a Fusion drive
    std::uint64_t pool_blocks{}, pool_base{};                 ///< internal pool: the space manager's own blocks
    std::uint64_t pool_bitmap_base{};
    std::uint32_t pool_bitmap_blocks{};
    bool operator==(const ApfsSpace&) const = default;
};
/// Checks the fields against each other. Fails with bad_format, naming the field.
[[nodiscard]] Result<ApfsSpace> parse_apfs_space(Raw block);
/// The field that contradicts the container; nothing where none does.
[[nodiscard]] std::optional<std::string> contradiction(const ApfsSpace& space, const ApfsContainer& container);

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

/// Who changed a volume, and when.
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
    std::string formatted_by; ///< tells Apple's newfs_apfs from mkapfs
    std::uint64_t features{}, incompatible_features{};
    bool case_sensitive{};
    bool encrypted{};
    std::uint16_t role{}; ///< 0 = none
    std::uint64_t reserve_blocks{}, quota_blocks{}, allocated_blocks{};
    std::uint64_t files{}, folders{}, snapshots{};
    std::uint32_t index{}; ///< of its slot in the container
    std::uint64_t readonly_features{}, flags{};
    std::uint64_t formatted{}, last_modified{}, unmounted{}; ///< nanoseconds since 1970
    std::uint64_t object_map_oid{};                          ///< block of the volume's own object map
    std::vector<ApfsModification> modified_by;               ///< newest first, at most eight
    bool operator==(const ApfsVolume&) const = default;

    [[nodiscard]] bool normalization_insensitive() const { return (incompatible_features & 9) != 0; }
};
[[nodiscard]] Result<ApfsVolume> parse_apfs_volume(Raw block);

/// Names of what is set, "defragmentation, 0x40" with the rest in hexadecimal; "none" for 0.
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
/// "none", "system", …; an unknown one in hexadecimal.
[[nodiscard]] std::string apfs_role_text(std::uint16_t role);
/// "2023-11-14 22:13:20"; "never" for 0.
[[nodiscard]] std::string apfs_time_text(std::uint64_t nanoseconds);

} // namespace mediarig::media

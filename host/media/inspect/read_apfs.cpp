// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/read_apfs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::media {
namespace {

/// A tree of this height would contain more objects than a container has blocks.
constexpr int most_levels = 8;
/// Limit of a descriptor area; Apple's have 280 blocks on 1 TB.
constexpr Bytes largest_descriptor_area = 16_MiB;
constexpr Bytes piece_of_area = 1_MiB;
/// Number of checkpoints tried before the newest checkpoint is used despite its faults.
constexpr std::size_t most_checkpoints_tried = 4;

struct Checkpoint {
    ApfsContainer container;
    std::uint64_t block{};
};

/// Position of the container on the medium, and the problems found.
class ApfsReading {
public:
    ApfsReading(const MediumReader& medium, Bytes start, Bytes block_size, ApfsContents& contents)
        : medium_(medium), start_(start), block_size_(block_size), contents_(contents) {}

    /// Checkpoints in the descriptor area, which is a ring of copies, newest first. Block 0 replaces a copy with the
    /// same transaction number.
    std::vector<Checkpoint> checkpoints(const ApfsDescriptorArea& area, const std::optional<ApfsContainer>& first) {
        std::map<std::uint64_t, Checkpoint> by_transaction;
        if (first) by_transaction.emplace(first->object.xid, Checkpoint{*first, 0});
        const std::uint64_t blocks = std::min<std::uint64_t>(area.blocks, largest_descriptor_area / block_size_);
        const std::uint64_t in_piece = piece_of_area / block_size_;
        for (std::uint64_t done = 0; done < blocks; done += in_piece) {
            const std::uint64_t count = std::min(in_piece, blocks - done);
            const auto raw = medium_.read(at(area.base + done), block_size_ * count);
            if (!raw) {
                note("checkpoint descriptor area: " + raw.error().detail);
                break;
            }
            for (std::uint64_t i = 0; i < count; ++i) {
                const Raw block = Raw(*raw).subspan((block_size_ * i).count, block_size_.count);
                if (!is_apfs(block)) continue;
                const auto copy = parse_apfs_container(block);
                if (copy) {
                    ++contents_.checkpoints;
                    newest_in_area_ = std::max(newest_in_area_, copy->object.xid);
                    by_transaction.emplace(copy->object.xid, Checkpoint{*copy, area.base + done + i});
                } else {
                    ++contents_.damaged_superblocks;
                }
            }
        }
        std::vector<Checkpoint> newest_first;
        for (auto it = by_transaction.rbegin(); it != by_transaction.rend(); ++it)
            newest_first.push_back(std::move(it->second));
        return newest_first;
    }

    /// Selects the newest consistent checkpoint, or the newest checkpoint if no checkpoint is consistent.
    void choose(const std::vector<Checkpoint>& newest_first) {
        std::string of_newest;
        const std::size_t tried = std::min(newest_first.size(), most_checkpoints_tried);
        for (std::size_t i = 0; i < tried; ++i) {
            take(newest_first[i]);
            const std::string problem = space_manager();
            if (problem.empty()) {
                if (i > 0)
                    note(fmt::format("checkpoint of transaction {} in block {}: {}; transaction {} is used",
                                     newest_first[0].container.object.xid, newest_first[0].block, of_newest,
                                     contents_.container.object.xid));
                return;
            }
            if (i == 0) of_newest = problem;
        }
        take(newest_first.front());
        note(of_newest);
    }

    /// Drivers mount from the descriptor area. Block 0 is a copy of a superblock there, and older after a loss of
    /// power.
    void check_copies() {
        if (contents_.checkpoints == 0)
            note(fmt::format("no valid superblock in the checkpoint descriptor area, {} damaged",
                             contents_.damaged_superblocks));
        else if (contents_.damaged_superblocks > 0 && contents_.block_zero_xid > newest_in_area_)
            note(fmt::format(
                "the superblock of transaction {} in the checkpoint descriptor area is damaged, and only its "
                "copy in block 0 is valid",
                *contents_.block_zero_xid));
    }

    void volumes() {
        const std::uint64_t map_address = contents_.container.object_map_oid;
        const auto root = object_map(map_address, "object map");
        if (!root) return note(root.error().detail);
        const auto top = block(*root);
        if (!top) return note("object map node: " + top.error().detail);
        for (const std::uint64_t oid : contents_.container.volume_oids) {
            const auto found = volume(*root, *top, oid);
            if (!found) {
                note(found.error().detail);
                // Stop at the first error: a damaged node would be reported again for each of a hundred volumes.
                if (contents_.problem.size() > longest_problem / 4) return;
                continue;
            }
            contents_.volumes.push_back(found->first);
            contents_.volume_blocks.push_back(found->second);
            const std::uint64_t own_map = found->first.object_map_oid;
            if (const auto own = object_map(own_map, "object map of volume " + found->first.uuid); !own)
                note(own.error().detail);
        }
    }

private:
    [[nodiscard]] Bytes at(std::uint64_t address) const { return start_ + block_size_ * address; }

    [[nodiscard]] Result<std::vector<std::byte>> block(std::uint64_t address) const {
        if (address >= contents_.container.block_count)
            return fail(Errc::bad_format, fmt::format("block {} is outside the container", address));
        return medium_.read(at(address), block_size_);
    }

    void take(const Checkpoint& checkpoint) {
        contents_.container = checkpoint.container;
        contents_.live_block = checkpoint.block;
        contents_.block_zero_is_live = contents_.block_zero_xid == checkpoint.container.object.xid;
        if (contents_.block_zero_is_live) contents_.live_block = 0;
        contents_.space.reset();
    }

    /// Problem in the checkpoint's maps or its space manager; empty if there is no problem.
    std::string space_manager() {
        const ApfsContainer& live = contents_.container;
        std::string of_maps;
        for (std::uint32_t i = 0; i < live.descriptor_length; ++i) {
            const std::uint64_t address = live.descriptor_base + (live.descriptor_index + i) % live.descriptor_blocks;
            const auto raw = block(address);
            if (!raw) return "checkpoint map: " + raw.error().detail;
            if (is_apfs(*raw)) continue; // the superblock is last in its checkpoint
            const auto map = parse_apfs_checkpoint_map(*raw);
            if (!map) {
                if (of_maps.empty())
                    of_maps = fmt::format("checkpoint map in block {} (byte {}): {}", address, at(address).count,
                                          map.error().detail);
                continue;
            }
            const auto entry = std::ranges::find(*map, live.space_manager_oid, &ApfsMapping::oid);
            if (entry != map->end()) return space_manager_in(entry->address);
        }
        return of_maps.empty() ? "the checkpoint does not record the position of its space manager" : of_maps;
    }

    std::string space_manager_in(std::uint64_t address) {
        const auto raw = block(address);
        if (!raw) return "space manager: " + raw.error().detail;
        const auto wrong = [&](const std::string& field) {
            return fmt::format("space manager in block {} (byte {}): {}", address, at(address).count, field);
        };
        const auto parsed = parse_apfs_space(*raw);
        if (!parsed) return wrong(parsed.error().detail);
        if (const auto field = contradiction(*parsed, contents_.container)) return wrong(*field);
        contents_.space = *parsed;
        contents_.space_block = address;
        return {};
    }

    /// Address of the root node of its tree.
    [[nodiscard]] Result<std::uint64_t> object_map(std::uint64_t address, const std::string& what) const {
        const auto raw = block(address);
        if (!raw) return fail(raw.error().code, what + ": " + raw.error().detail);
        const auto root = parse_apfs_object_map(*raw);
        if (!root)
            return fail(Errc::bad_format, fmt::format("{} in block {} (byte {}): {}", what, address, at(address).count,
                                                      root.error().detail));
        return *root;
    }

    /// Returns the volume and the number of its block.
    [[nodiscard]] Result<std::pair<ApfsVolume, std::uint64_t>> volume(std::uint64_t root, Raw top,
                                                                      std::uint64_t oid) const {
        std::uint64_t address = root;
        std::vector<std::byte> below;
        for (int level = 0; level < most_levels; ++level) {
            if (level > 0) {
                auto node = block(address);
                if (!node) return fail(node.error().code, "object map node: " + node.error().detail);
                below = std::move(*node);
            }
            const auto step =
                step_in_apfs_object_map(level == 0 ? top : Raw(below), oid, contents_.container.object.xid);
            if (!step)
                return fail(Errc::bad_format, fmt::format("object map node in block {} (byte {}): {}", address,
                                                          at(address).count, step.error().detail));
            address = step->address;
            if (!step->found) continue;
            const auto raw = block(address);
            if (!raw) return fail(raw.error().code, "volume superblock: " + raw.error().detail);
            const auto parsed = parse_apfs_volume(*raw);
            if (!parsed)
                return fail(Errc::bad_format, fmt::format("volume in block {} (byte {}): {}", address,
                                                          at(address).count, parsed.error().detail));
            return std::pair{*parsed, address};
        }
        return fail(Errc::bad_format,
                    fmt::format("object map from block {}: deeper than {} levels", root, most_levels));
    }

    void note(const std::string& problem) { add_problem(contents_.problem, problem); }

    const MediumReader& medium_;
    Bytes start_, block_size_;
    ApfsContents& contents_;
    std::uint64_t newest_in_area_{}; ///< transaction of the newest valid superblock in the descriptor area
};

} // namespace

Result<ApfsContents> read_apfs(const MediumReader& medium, Bytes start, Bytes length) {
    const auto where = [start](const std::string& problem) {
        return fmt::format("APFS container at byte {}: {}", start.count, problem);
    };
    const auto head = medium.read(start, 4_KiB);
    if (!head) return fail(head.error());
    const auto block_size = apfs_block_size(*head);
    if (!block_size) return fail(Errc::bad_format, where(block_size.error().detail));
    const auto first = medium.read(start, *block_size);
    if (!first) return fail(first.error());

    ApfsContents contents;
    ApfsReading reading(medium, start, *block_size, contents);
    const auto container = parse_apfs_container(*first);
    if (!container) contents.problem = where("block 0: " + container.error().detail);
    const auto area = apfs_descriptor_area(*first);
    std::vector<Checkpoint> checkpoints;
    if (container) contents.block_zero_xid = container->object.xid;
    if (area) checkpoints = reading.checkpoints(*area, container ? std::optional(*container) : std::nullopt);
    if (checkpoints.empty()) return fail(Errc::bad_format, where(container.error().detail));
    reading.choose(checkpoints);
    reading.check_copies();
    if (contents.container.block_count > length / *block_size)
        add_problem(contents.problem,
                    where(fmt::format("nx_block_count: {} blocks of {} bytes do not fit into {} bytes",
                                      contents.container.block_count, block_size->count, length.count)));
    reading.volumes();
    return contents;
}

namespace {

std::string hex(std::uint64_t bits) {
    return fmt::format("{:#x}", bits);
}

void list_container(const ApfsContents& contents, Listing& listing) {
    const ApfsContainer& container = contents.container;
    listing.add("block_size", container.block_size, {"nx_block_size", 0x24, 4});
    listing.add("block_count", container.block_count, {"nx_block_count", 0x28, 8}, "blocks");
    listing.add("container_uuid", container.uuid, {"nx_uuid", 0x48, 16});
    listing.add("checkpoint_transaction", container.object.xid, {"o_xid", 0x10, 8});
    listing.add_computed("checkpoint_block", std::to_string(contents.live_block));
    listing.add_computed("checkpoints", std::to_string(contents.checkpoints));
    listing.add_computed("damaged_superblocks", std::to_string(contents.damaged_superblocks));
    listing.add_computed("block_zero_is_live", Listing::yes_no(contents.block_zero_is_live));
    if (contents.block_zero_xid)
        listing.add_computed("block_zero_transaction", std::to_string(*contents.block_zero_xid));
    listing.add("next_transaction", container.next_xid, {"nx_next_xid", 0x60, 8});
    listing.add("descriptor_blocks", container.descriptor_blocks, {"nx_xp_desc_blocks", 0x68, 4}, "blocks");
    listing.add("descriptor_base", container.descriptor_base, {"nx_xp_desc_base", 0x70, 8});
    listing.add("data_blocks", container.data_blocks, {"nx_xp_data_blocks", 0x6C, 4}, "blocks");
    listing.add("data_base", container.data_base, {"nx_xp_data_base", 0x78, 8});
    listing.add("features", hex(container.features), {"nx_features", 0x30, 8});
    listing.add("feature_names", apfs_bits_text(ApfsBits::container_features, container.features),
                {"nx_features", 0x30, 8});
    listing.add("readonly_features", hex(container.readonly_features), {"nx_readonly_compatible_features", 0x38, 8});
    listing.add("incompatible_features", hex(container.incompatible_features), {"nx_incompatible_features", 0x40, 8});
    listing.add("incompatible_names", apfs_bits_text(ApfsBits::container_incompatible, container.incompatible_features),
                {"nx_incompatible_features", 0x40, 8});
    listing.add("container_flags", apfs_bits_text(ApfsBits::container_flags, container.flags), {"nx_flags", 0x4F0, 8});
    listing.add_flag("software_crypto", container.software_crypto(), {"nx_flags", 0x4F0, 8});
    listing.add_flag("keylocker", container.keylocker != 0, {"nx_keylocker", 0x510, 8});
    listing.add_flag("fusion", container.fusion(), {"nx_incompatible_features", 0x40, 8});
    if (!container.fusion_uuid.empty())
        listing.add("fusion_uuid", container.fusion_uuid, {"nx_fusion_uuid", 0x500, 16});
    listing.add("most_volumes", container.most_volumes, {"nx_max_file_systems", 0xB4, 4});
    listing.add_computed("volumes", std::to_string(contents.volumes.size()));
}

void list_space(const ApfsSpace& space, Listing& listing) {
    listing.add("free_blocks", space.free_blocks, {"sm_free_count", 0x48, 8}, "blocks");
    listing.add("chunk_count", space.chunk_count, {"sm_chunk_count", 0x38, 8});
    listing.add("blocks_per_chunk", space.blocks_per_chunk, {"sm_blocks_per_chunk", 0x24, 4}, "blocks");
    listing.add("chunk_info_blocks", space.cib_count, {"sm_cib_count", 0x40, 4}, "blocks");
    listing.add("chunk_info_address_blocks", space.cab_count, {"sm_cab_count", 0x44, 4}, "blocks");
    listing.add("pool_base", space.pool_base, {"sm_ip_base", 0xB0, 8});
    listing.add("pool_blocks", space.pool_blocks, {"sm_ip_block_count", 0x98, 8}, "blocks");
    listing.add("pool_bitmap_base", space.pool_bitmap_base, {"sm_ip_bm_base", 0xA8, 8});
    listing.add("pool_bitmap_blocks", space.pool_bitmap_blocks, {"sm_ip_bm_block_count", 0xA4, 4}, "blocks");
    if (space.second_block_count != 0)
        listing.add("second_device_free_blocks", space.second_free_blocks, {"sm_free_count of SD_TIER2", 0x78, 8},
                    "blocks");
}

void list_volume(const ApfsVolume& volume, Listing& listing) {
    listing.add("name", volume.name, {"apfs_volname", 0x2C0, 256});
    listing.add("uuid", volume.uuid, {"apfs_vol_uuid", 0xF0, 16});
    listing.add_flag("case_sensitive", volume.case_sensitive, {"apfs_incompatible_features", 0x38, 8});
    listing.add_flag("normalization_sensitive", !volume.normalization_insensitive(),
                     {"apfs_incompatible_features", 0x38, 8});
    listing.add_flag("encrypted", volume.encrypted, {"apfs_fs_flags", 0x108, 8});
    listing.add("flags", apfs_bits_text(ApfsBits::volume_flags, volume.flags), {"apfs_fs_flags", 0x108, 8});
    listing.add("role", hex(volume.role), {"apfs_role", 0x3C4, 2});
    listing.add("role_name", apfs_role_text(volume.role), {"apfs_role", 0x3C4, 2});
    listing.add("features", apfs_bits_text(ApfsBits::volume_features, volume.features), {"apfs_features", 0x28, 8});
    listing.add("readonly_features", apfs_bits_text(ApfsBits::volume_readonly, volume.readonly_features),
                {"apfs_readonly_compatible_features", 0x30, 8});
    listing.add("incompatible_features", apfs_bits_text(ApfsBits::volume_incompatible, volume.incompatible_features),
                {"apfs_incompatible_features", 0x38, 8});
    listing.add("formatted_by", volume.formatted_by, {"apfs_formatted_by.id", 0x110, 32});
    listing.add("formatted", apfs_time_text(volume.formatted), {"apfs_formatted_by.timestamp", 0x130, 8});
    if (!volume.modified_by.empty()) {
        listing.add("modified_by", volume.modified_by.front().by, {"apfs_modified_by[0].id", 0x140, 32});
        listing.add("modified_by_when", apfs_time_text(volume.modified_by.front().when),
                    {"apfs_modified_by[0].timestamp", 0x160, 8});
        listing.add_computed("modifiers", std::to_string(volume.modified_by.size()));
    }
    listing.add("modified", apfs_time_text(volume.last_modified), {"apfs_last_mod_time", 0x100, 8});
    listing.add("unmounted", apfs_time_text(volume.unmounted), {"apfs_unmount_time", 0x40, 8});
    listing.add("files", volume.files, {"apfs_num_files", 0xB8, 8});
    listing.add("folders", volume.folders, {"apfs_num_directories", 0xC0, 8});
    listing.add("snapshots", volume.snapshots, {"apfs_num_snapshots", 0xD8, 8});
    listing.add("allocated_blocks", volume.allocated_blocks, {"apfs_fs_alloc_count", 0x58, 8}, "blocks");
    listing.add("reserve_blocks", volume.reserve_blocks, {"apfs_fs_reserve_block_count", 0x48, 8}, "blocks");
    listing.add("quota_blocks", volume.quota_blocks, {"apfs_fs_quota_block_count", 0x50, 8}, "blocks");
}

} // namespace

Listing listing_of(const ApfsContents& contents, Bytes start) {
    const Bytes block = contents.container.block_size;
    Listing listing;
    listing.structure(start + block * contents.live_block);
    list_container(contents, listing);
    listing.structure(start + block * contents.space_block);
    if (contents.space) list_space(*contents.space, listing);
    for (std::size_t i = 0; i < contents.volumes.size(); ++i) {
        listing.structure(start + block * contents.volume_blocks[i],
                          i == 0 ? "volume_" : fmt::format("volume_{}_", i + 1));
        list_volume(contents.volumes[i], listing);
    }
    return listing;
}

Parameters parameters_of(const ApfsContents& contents) {
    return listing_of(contents, {}).parameters();
}

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/read_apfs.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mediarig::media {
namespace {

/// A tree of this height would hold more objects than a container has blocks.
constexpr int most_levels = 8;

/// The container's own place on the medium, and the first thing found wrong.
class Reading {
public:
    Reading(const MediumReader& medium, Bytes start, ApfsContents& contents)
        : medium_(medium), start_(start), contents_(contents) {}

    /// The descriptor area is a ring of older and newer copies; the newest valid one rules.
    void live_container() {
        contents_.block_zero_is_live = true;
        const ApfsContainer first = contents_.container;
        for (std::uint32_t i = 0; i < first.descriptor_blocks; ++i) {
            const auto raw = block(first.descriptor_base + i);
            if (!raw) return note(raw.error().detail);
            if (!is_apfs(*raw)) continue;
            const auto copy = parse_apfs_container(*raw);
            // A torn copy is the usual trace of a lost power supply: the one before it still stands.
            if (!copy || copy->object.xid <= contents_.container.object.xid) continue;
            contents_.container = *copy;
            contents_.live_block = first.descriptor_base + i;
            contents_.block_zero_is_live = false;
        }
    }

    void space() {
        const ApfsContainer& live = contents_.container;
        for (std::uint32_t i = 0; i < live.descriptor_length; ++i) {
            const auto raw = block(live.descriptor_base + (live.descriptor_index + i) % live.descriptor_blocks);
            if (!raw) return note(raw.error().detail);
            const auto map = parse_apfs_checkpoint_map(*raw);
            if (!map) continue; // the area holds superblocks as well
            const auto entry = std::find_if(map->begin(), map->end(), [&live](const ApfsMapping& mapping) {
                return mapping.oid == live.space_manager_oid;
            });
            if (entry == map->end()) continue;
            const auto manager = block(entry->address);
            if (!manager) return note(manager.error().detail);
            const auto parsed = parse_apfs_space(*manager);
            if (!parsed)
                return note(fmt::format("space manager in block {}: {}", entry->address, parsed.error().detail));
            contents_.space = *parsed;
            contents_.space_block = entry->address;
            return;
        }
        note("the checkpoint does not say where its space manager is");
    }

    void volumes() {
        const std::uint64_t map_address = contents_.container.object_map_oid;
        const auto raw = block(map_address);
        if (!raw) return note(raw.error().detail);
        const auto root = parse_apfs_object_map(*raw);
        if (!root) return note(fmt::format("object map in block {}: {}", map_address, root.error().detail));
        for (const std::uint64_t oid : contents_.container.volume_oids) {
            const auto found = volume(*root, oid);
            if (!found) return note(found.error().detail);
            contents_.volumes.push_back(found->first);
            contents_.volume_blocks.push_back(found->second);
        }
    }

private:
    [[nodiscard]] Result<std::vector<std::byte>> block(std::uint64_t address) const {
        const Bytes size = contents_.container.block_size;
        if (address >= contents_.container.block_count)
            return fail(Errc::bad_format, fmt::format("block {} lies outside the container", address));
        return medium_.read(start_ + size * address, size);
    }

    /// The volume, and the block in which it stands.
    [[nodiscard]] Result<std::pair<ApfsVolume, std::uint64_t>> volume(std::uint64_t root, std::uint64_t oid) const {
        std::uint64_t address = root;
        for (int level = 0; level < most_levels; ++level) {
            const auto node = block(address);
            if (!node) return fail(node.error());
            const auto step = step_in_apfs_object_map(*node, oid, contents_.container.object.xid);
            if (!step)
                return fail(Errc::bad_format,
                            fmt::format("object map node in block {}: {}", address, step.error().detail));
            address = step->address;
            if (!step->found) continue;
            const auto raw = block(address);
            if (!raw) return fail(raw.error());
            const auto parsed = parse_apfs_volume(*raw);
            if (!parsed)
                return fail(Errc::bad_format, fmt::format("volume in block {}: {}", address, parsed.error().detail));
            return std::pair{*parsed, address};
        }
        return fail(Errc::bad_format,
                    fmt::format("object map from block {}: deeper than {} levels", root, most_levels));
    }

    void note(const std::string& problem) {
        if (contents_.problem.empty()) contents_.problem = problem;
    }
    const MediumReader& medium_;
    Bytes start_;
    ApfsContents& contents_;
};

void append_volume(Parameters& parameters, const ApfsVolume& volume, const std::string& prefix) {
    const auto yes_no = [](bool value) { return std::string(value ? "yes" : "no"); };
    parameters.emplace_back(prefix + "name", volume.name);
    parameters.emplace_back(prefix + "uuid", volume.uuid);
    parameters.emplace_back(prefix + "case_sensitive", yes_no(volume.case_sensitive));
    parameters.emplace_back(prefix + "encrypted", yes_no(volume.encrypted));
    parameters.emplace_back(prefix + "role", fmt::format("{:#x}", volume.role));
    parameters.emplace_back(prefix + "formatted_by", volume.formatted_by);
    parameters.emplace_back(prefix + "files", std::to_string(volume.files));
    parameters.emplace_back(prefix + "snapshots", std::to_string(volume.snapshots));
    parameters.emplace_back(prefix + "allocated_blocks", std::to_string(volume.allocated_blocks));
    parameters.emplace_back(prefix + "reserve_blocks", std::to_string(volume.reserve_blocks));
    parameters.emplace_back(prefix + "quota_blocks", std::to_string(volume.quota_blocks));
}

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
    const auto container = parse_apfs_container(*first);
    if (!container) return fail(Errc::bad_format, where(container.error().detail));

    ApfsContents contents{.container = *container};
    if (container->block_size * container->block_count > length)
        contents.problem = where(fmt::format("{} blocks of {} bytes do not fit into {} bytes", container->block_count,
                                             block_size->count, length.count));
    Reading reading(medium, start, contents);
    reading.live_container();
    reading.space();
    reading.volumes();
    return contents;
}

Parameters parameters_of(const ApfsContents& contents) {
    const ApfsContainer& container = contents.container;
    Parameters parameters{
        {"block_size", std::to_string(container.block_size.count)},
        {"block_count", std::to_string(container.block_count)},
        {"container_uuid", container.uuid},
        {"checkpoint_transaction", std::to_string(container.object.xid)},
        {"block_zero_is_live", contents.block_zero_is_live ? "yes" : "no"},
        {"descriptor_blocks", std::to_string(container.descriptor_blocks)},
        {"data_blocks", std::to_string(container.data_blocks)},
        {"features", fmt::format("{:#x}", container.features)},
        {"incompatible_features", fmt::format("{:#x}", container.incompatible_features)},
        {"most_volumes", std::to_string(container.most_volumes)},
        {"volumes", std::to_string(contents.volumes.size())},
    };
    if (contents.space) parameters.emplace_back("free_blocks", std::to_string(contents.space->free_blocks));
    for (std::size_t i = 0; i < contents.volumes.size(); ++i)
        append_volume(parameters, contents.volumes[i], i == 0 ? "volume_" : fmt::format("volume_{}_", i + 1));
    return parameters;
}

} // namespace mediarig::media

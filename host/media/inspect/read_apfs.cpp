// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/read_apfs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/media/inspect/problem.hpp"

namespace mediarig::media {
namespace {

/// A tree of this height would hold more objects than a container has blocks.
constexpr int most_levels = 8;
/// Of a descriptor area; Apple's are 280 blocks on 1 TB.
constexpr Bytes largest_descriptor_area = 16_MiB;
constexpr Bytes piece_of_area = 1_MiB;
/// Checkpoints that are tried before the newest is taken as it is.
constexpr std::size_t most_checkpoints_tried = 4;

struct Checkpoint {
    ApfsContainer container;
    std::uint64_t block{};
};

/// The container's own place on the medium, and what is found wrong.
class ApfsReading {
public:
    ApfsReading(const MediumReader& medium, Bytes start, Bytes block_size, ApfsContents& contents)
        : medium_(medium), start_(start), block_size_(block_size), contents_(contents) {}

    /// The descriptor area is a ring of older and newer copies. Newest first; block 0 stands for itself where no copy
    /// is as new.
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

    /// Takes the newest checkpoint that holds together; where none does, the newest.
    void choose(const std::vector<Checkpoint>& newest_first) {
        std::string of_newest;
        const std::size_t tried = std::min(newest_first.size(), most_checkpoints_tried);
        for (std::size_t i = 0; i < tried; ++i) {
            take(newest_first[i]);
            const std::string problem = space_manager();
            if (problem.empty()) {
                if (i > 0)
                    note(fmt::format("checkpoint of transaction {} in block {}: {}; transaction {} is taken",
                                     newest_first[0].container.object.xid, newest_first[0].block, of_newest,
                                     contents_.container.object.xid));
                return;
            }
            if (i == 0) of_newest = problem;
        }
        take(newest_first.front());
        note(of_newest);
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
                // A damaged node would be told once for each of a hundred volumes.
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
            return fail(Errc::bad_format, fmt::format("block {} lies outside the container", address));
        return medium_.read(at(address), block_size_);
    }

    void take(const Checkpoint& checkpoint) {
        contents_.container = checkpoint.container;
        contents_.live_block = checkpoint.block;
        contents_.block_zero_is_live = contents_.block_zero_xid == checkpoint.container.object.xid;
        if (contents_.block_zero_is_live) contents_.live_block = 0;
        contents_.space.reset();
    }

    /// What is wrong with the checkpoint's maps or its space manager; empty where nothing is.
    std::string space_manager() {
        const ApfsContainer& live = contents_.container;
        std::string of_maps;
        for (std::uint32_t i = 0; i < live.descriptor_length; ++i) {
            const std::uint64_t address = live.descriptor_base + (live.descriptor_index + i) % live.descriptor_blocks;
            const auto raw = block(address);
            if (!raw) return "checkpoint map: " + raw.error().detail;
            if (is_apfs(*raw)) continue; // the superblock ends its checkpoint
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
        return of_maps.empty() ? "the checkpoint does not say where its space manager is" : of_maps;
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

    /// The address of its tree's root node.
    [[nodiscard]] Result<std::uint64_t> object_map(std::uint64_t address, const std::string& what) const {
        const auto raw = block(address);
        if (!raw) return fail(raw.error().code, what + ": " + raw.error().detail);
        const auto root = parse_apfs_object_map(*raw);
        if (!root)
            return fail(Errc::bad_format, fmt::format("{} in block {} (byte {}): {}", what, address, at(address).count,
                                                      root.error().detail));
        return *root;
    }

    /// The volume, and the block in which it stands.
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
    if (contents.container.block_count > length / *block_size)
        add_problem(contents.problem,
                    where(fmt::format("nx_block_count: {} blocks of {} bytes do not fit into {} bytes",
                                      contents.container.block_count, block_size->count, length.count)));
    reading.volumes();
    return contents;
}

} // namespace mediarig::media

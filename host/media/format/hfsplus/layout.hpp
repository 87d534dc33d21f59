// SPDX-License-Identifier: GPL-3.0-or-later
/// Position and contents of every structure of a new HFS+ volume. Pure: size and options in, values out. Sources:
/// Apple, Technical Note TN1150; sizes and order follow Apple's newfs_hfs, so that the volume performs like one made by
/// a Mac. docs/reference/formats.md describes the rules.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/inspect/hfsplus.hpp"

namespace mediarig::media::hfsplus {

inline constexpr Bytes smallest_volume = 16_MiB;
inline constexpr Bytes largest_volume = 16384_GiB;
inline constexpr Bytes largest_block = 64_KiB;
/// Limits of the kernels that support the journal.
inline constexpr Bytes smallest_journal = 256_KiB;
inline constexpr Bytes largest_journal = 1_GiB;

enum class JournalMode : std::uint8_t { none, inside };
enum class CaseSensitivity : std::uint8_t { ignore_case, case_sensitive };

/// Owner of the root folder. 99:99 means "unknown": a Mac shows such files as owned by the current user.
struct Ownership {
    std::uint32_t user{99}, group{99};
    std::uint16_t permissions{0755};
    bool operator==(const Ownership&) const = default;
};

struct Options {
    JournalMode journal{JournalMode::inside};
    CaseSensitivity names{CaseSensitivity::ignore_case};
    std::u16string name{u"untitled"}; ///< as returned by volume_name()
    std::chrono::sys_seconds created; ///< from 1904 to 2040-02-06
    std::uint64_t volume_id{};        ///< not 0
    std::optional<Bytes> block_size, journal_size;
    Ownership root;
};

/// A B-tree in a fork with one extent.
struct TreeLayout {
    HfsPlusExtent extent;
    std::uint32_t node_size{};
    std::uint32_t nodes{};
    std::uint32_t map_nodes{};  ///< number of nodes for the bits that do not fit into the header node
    std::uint32_t used_nodes{}; ///< number of used nodes, the first nodes of the tree: header, root leaf (catalog
                                ///< only), map nodes
    bool operator==(const TreeLayout&) const = default;
};

struct Layout {
    Bytes size; ///< size of the medium
    Bytes sector_size;
    Bytes block_size;
    std::uint32_t total_blocks{}, free_blocks{}, next_allocation{};
    std::uint32_t head_blocks{}, tail_blocks{}; ///< blocks for the volume header and for its copy
    HfsPlusExtent bitmap;
    std::optional<HfsPlusExtent> journal_info, journal;
    TreeLayout extents, attributes, catalog;
    Options options;

    [[nodiscard]] Bytes offset_of(const HfsPlusExtent& extent) const { return block_size * extent.start; }
    [[nodiscard]] Bytes length_of(const HfsPlusExtent& extent) const { return block_size * extent.count; }
    /// All allocated runs in ascending order; adjacent runs are not merged.
    [[nodiscard]] std::vector<HfsPlusExtent> used() const;
};

/// Number of map nodes of a tree with `nodes` nodes of `node_size` bytes. Node 0 has a bit for each of the first 8 *
/// (node_size - 256) nodes, after its header and user records; a map node is one record of 8 * (node_size - 20) bits.
/// Source: Apple, Technical Note TN1150, "Header Record" and "Map Record".
[[nodiscard]] std::uint32_t map_nodes_for(std::uint32_t nodes, std::uint32_t node_size);

/// True if HFS+ can represent the time.
[[nodiscard]] bool counts_time(std::chrono::sys_seconds time);
inline constexpr const char* counted_time = "HFS+ counts time from 1904 to 2040-02-06";

/// `size` is in bytes and may have any value; a partial block at the end stays unused. Fails with bad_request and names
/// the limit.
[[nodiscard]] Result<Layout> plan_volume(Bytes size, Bytes sector_size, const Options& options);

} // namespace mediarig::media::hfsplus

// SPDX-License-Identifier: GPL-3.0-or-later
/// Position and contents of every structure of a new HFS+ volume. Pure: size and options in, values out.
/// Sources: Apple, Technical Note TN1150; sizes and order follow Apple's newfs_hfs, so that the volume measures like
/// one made by a Mac. docs/reference/formats.md describes the rules.
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
/// What the kernels that know the journal accept.
inline constexpr Bytes smallest_journal = 256_KiB;
inline constexpr Bytes largest_journal = 1_GiB;

enum class Journal : std::uint8_t { none, inside };
enum class Names : std::uint8_t { ignore_case, case_sensitive };

/// Of the root folder. 99:99 is "nobody in particular": a Mac shows such files as those of whoever looks.
struct Ownership {
    std::uint32_t user{99}, group{99};
    std::uint16_t permissions{0755};
    bool operator==(const Ownership&) const = default;
};

struct Options {
    Journal journal{Journal::inside};
    Names names{Names::ignore_case};
    std::u16string name{u"untitled"}; ///< as volume_name() gives it
    std::chrono::sys_seconds created; ///< from 1904 to 2040-02-06
    std::uint64_t volume_id{};        ///< not 0
    std::optional<Bytes> block_size, journal_size;
    Ownership root;
};

/// A B-tree in its fork of one extent.
struct TreeLayout {
    HfsPlusExtent extent;
    std::uint32_t node_size{};
    std::uint32_t nodes{};
    std::uint32_t map_nodes{};  ///< for the bits that do not fit into the header node
    std::uint32_t used_nodes{}; ///< header, root leaf (catalog only), map nodes: the first ones of the tree
    bool operator==(const TreeLayout&) const = default;
};

struct Layout {
    Bytes size; ///< of the medium
    Bytes sector_size;
    Bytes block_size;
    std::uint32_t total_blocks{}, free_blocks{}, next_allocation{};
    std::uint32_t head_blocks{}, tail_blocks{}; ///< for the volume header and its copy
    HfsPlusExtent bitmap;
    std::optional<HfsPlusExtent> journal_info, journal;
    TreeLayout extents, attributes, catalog;
    Options options;

    [[nodiscard]] Bytes offset_of(const HfsPlusExtent& extent) const { return block_size * extent.start; }
    [[nodiscard]] Bytes length_of(const HfsPlusExtent& extent) const { return block_size * extent.count; }
    /// Everything that is not free, ascending; runs that touch are not joined.
    [[nodiscard]] std::vector<HfsPlusExtent> used() const;
};

/// For a tree of so many nodes of so many bytes. Node 0 keeps a bit for each of its first 8 * (node_size - 256) nodes,
/// behind its header and user records; a map node is one record of 8 * (node_size - 20) bits. Source: Apple, Technical
/// Note TN1150, "Header Record" and "Map Record".
[[nodiscard]] std::uint32_t map_nodes_for(std::uint32_t nodes, std::uint32_t node_size);

/// Whether HFS+ has a date for it.
[[nodiscard]] bool counts_time(std::chrono::sys_seconds time);
inline constexpr const char* counted_time = "HFS+ counts time from 1904 to 2040-02-06";

/// `size` may be any number of bytes; what does not fill a block is left over. Fails with bad_request, naming the
/// limit.
[[nodiscard]] Result<Layout> plan_volume(Bytes size, Bytes sector_size, const Options& options);

} // namespace mediarig::media::hfsplus

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/hfsplus/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "host/base/text.hpp"

namespace mediarig::media::hfsplus {
namespace {

constexpr Bytes node_of_extents = 4_KiB;
constexpr Bytes node_of_attributes = 8_KiB;
/// The gap after the attributes file or the catalog is this many times as long as that file, so that the file can grow
/// contiguously.
constexpr std::uint64_t gap_factor = 10;

/// Initial sizes in MiB by volume size in GiB; the row with the largest size that does not exceed the volume size
/// applies.
struct TreeSizes {
    std::uint64_t volume_gib;
    std::uint64_t attributes, catalog, extents;
};
constexpr std::array tree_sizes{
    TreeSizes{1, 4, 4, 4},         TreeSizes{2, 6, 6, 4},         TreeSizes{4, 8, 8, 4},
    TreeSizes{8, 11, 11, 5},       TreeSizes{16, 64, 32, 5},      TreeSizes{32, 84, 49, 6},
    TreeSizes{64, 111, 74, 7},     TreeSizes{128, 147, 111, 8},   TreeSizes{256, 194, 169, 9},
    TreeSizes{512, 256, 256, 11},  TreeSizes{1024, 294, 294, 14}, TreeSizes{2048, 338, 338, 16},
    TreeSizes{4096, 388, 388, 20}, TreeSizes{8192, 446, 446, 25}, TreeSizes{16384, 512, 512, 32},
};

enum class Tree : std::uint8_t { extents, attributes, catalog };

Bytes default_block_size(Bytes size) {
    if (size < 2048_GiB) return 4_KiB;
    if (size < 8192_GiB) return 8_KiB;
    return size < 16384_GiB ? 16_KiB : 32_KiB;
}

Bytes tree_size(Tree tree, Bytes size, Bytes node, Bytes block) {
    Bytes wanted = std::max(4_B * (size / 512_B), node * 8);
    if (size >= 1_GiB) {
        const auto row = std::prev(std::find_if(tree_sizes.begin(), tree_sizes.end(), [&](const TreeSizes& entry) {
            return 1_GiB * entry.volume_gib > size;
        }));
        wanted = 1_MiB * (tree == Tree::extents      ? row->extents
                          : tree == Tree::attributes ? row->attributes
                                                     : row->catalog);
    }
    const Bytes unit = std::max(node, block);
    return std::max(align_down(wanted, unit), unit);
}

Bytes default_journal_size(Bytes size, Bytes sector, Bytes block) {
    const Bytes wanted = size < 128_MiB ? 512_KiB : std::min(8_MiB * (1 + size / 100_GiB), 512_MiB);
    return std::max({wanted, block, Bytes{sector.count * sector.count / 16}});
}

TreeLayout tree_at(std::uint64_t start, Bytes length, Bytes node, Bytes block, std::uint32_t leaves) {
    TreeLayout tree{
        .extent = {.start = static_cast<std::uint32_t>(start), .count = static_cast<std::uint32_t>(length / block)},
        .node_size = static_cast<std::uint32_t>(node.count),
        .nodes = static_cast<std::uint32_t>(length / node)};
    tree.map_nodes = map_nodes_for(tree.nodes, tree.node_size);
    tree.used_nodes = 1 + leaves + tree.map_nodes;
    return tree;
}

Result<Bytes> chosen_block_size(Bytes size, Bytes sector, const Options& options) {
    if (size < smallest_volume || size > largest_volume)
        return fail(Errc::bad_request, fmt::format("a medium of {}: HFS+ is made on media of {} to {}", size_text(size),
                                                   size_text(smallest_volume), size_text(largest_volume)));
    const Bytes block = options.block_size.value_or(std::max(default_block_size(size), sector));
    if (!std::has_single_bit(block.count) || block < sector || block > largest_block)
        return fail(Errc::bad_request,
                    fmt::format("block size {}: HFS+ on this medium takes powers of two from {} to {}", block.count,
                                sector.count, largest_block.count));
    if (size / block > 0xFFFFFFFF)
        return fail(Errc::bad_request,
                    fmt::format("block size {}: a medium of {} would have more than 4294967295 blocks, take a "
                                "larger size",
                                block.count, size_text(size)));
    return block;
}

Result<Bytes> chosen_journal_size(Bytes size, Bytes sector, Bytes block, const Options& options) {
    if (!options.journal_size) return align_up(default_journal_size(size, sector, block), block);
    const Bytes journal = *options.journal_size;
    // On a small volume, a journal larger than one eighth of the volume would leave too little space for files.
    const Bytes largest = std::min(largest_journal, align_down({size.count / 8}, block));
    if (journal < smallest_journal || journal > largest || journal % block != 0_B)
        return fail(Errc::bad_request, fmt::format("journal size {}: this volume takes multiples of {} from {} to {}",
                                                   journal.count, block.count, smallest_journal.count, largest.count));
    return journal;
}

} // namespace

std::uint32_t map_nodes_for(std::uint32_t nodes, std::uint32_t node_size) {
    const std::uint32_t in_header = (node_size - 256) * 8;
    if (nodes <= in_header) return 0;
    const std::uint32_t in_map_node = (node_size - 20) * 8;
    return (nodes - in_header + in_map_node - 1) / in_map_node;
}

std::vector<HfsPlusExtent> Layout::used() const {
    std::vector<HfsPlusExtent> runs{{.start = 0, .count = head_blocks}, bitmap};
    if (journal_info) runs.push_back(*journal_info);
    if (journal) runs.push_back(*journal);
    runs.insert(runs.end(), {extents.extent,
                             attributes.extent,
                             catalog.extent,
                             {.start = total_blocks - tail_blocks, .count = tail_blocks}});
    return runs;
}

bool counts_time(std::chrono::sys_seconds time) {
    const auto seconds = time.time_since_epoch().count() + std::int64_t{hfs_plus_unix_epoch};
    return seconds >= 0 && seconds <= 0xFFFFFFFF;
}

Result<Layout> plan_volume(Bytes size, Bytes sector, const Options& options) {
    const auto chosen = chosen_block_size(size, sector, options);
    if (!chosen) return fail(chosen.error());
    const Bytes block = *chosen;
    const auto journal_size = chosen_journal_size(size, sector, block, options);
    if (!journal_size) return fail(journal_size.error());
    if (!counts_time(options.created))
        return fail(Errc::bad_request, fmt::format("{}: choose another time of creation", counted_time));
    if (options.volume_id == 0)
        return fail(Errc::bad_request,
                    "a volume identifier of 0 means that the volume has no identifier: choose another value");

    Layout layout{.size = size, .sector_size = sector, .block_size = block, .options = options};
    const auto blocks = [block](Bytes length) { return (length.count + block.count - 1) / block.count; };
    layout.total_blocks = static_cast<std::uint32_t>(size / block);
    layout.head_blocks = static_cast<std::uint32_t>(blocks(hfs_plus_header_offset + hfs_plus_header_length));
    layout.tail_blocks = static_cast<std::uint32_t>(blocks(1_KiB));

    std::uint64_t next = layout.head_blocks;
    const auto take = [&next](std::uint64_t count) {
        const HfsPlusExtent extent{.start = static_cast<std::uint32_t>(next),
                                   .count = static_cast<std::uint32_t>(count)};
        next += count;
        return extent;
    };
    layout.bitmap = take(blocks({(std::uint64_t{layout.total_blocks} + 7) / 8}));
    if (options.journal == JournalMode::inside) {
        layout.journal_info = take(1);
        layout.journal = take(*journal_size / block);
    }
    const Bytes node_of_catalog = size < 1_GiB || block < 4_KiB ? 4_KiB : 8_KiB;
    const Bytes extents = tree_size(Tree::extents, size, node_of_extents, block);
    const Bytes attributes = tree_size(Tree::attributes, size, node_of_attributes, block);
    const Bytes catalog = tree_size(Tree::catalog, size, node_of_catalog, block);
    layout.extents = tree_at(take(extents / block).start, extents, node_of_extents, block, 0);
    layout.attributes = tree_at(take(attributes / block).start, attributes, node_of_attributes, block, 0);
    next += attributes / block * gap_factor;
    layout.catalog = tree_at(take(catalog / block).start, catalog, node_of_catalog, block, 1);
    next += catalog / block * gap_factor;
    if (size >= 10_GiB) {
        // Gap for the area in which macOS gathers frequently read files: 5 bytes for each KiB, between 10 and 512 MiB.
        const Bytes hot_files = std::clamp(Bytes{size.count / 1024 * 5}, 10_MiB, 512_MiB);
        next += hot_files / block;
    }
    layout.next_allocation = static_cast<std::uint32_t>(next);

    std::uint64_t used = 0;
    for (const HfsPlusExtent& run : layout.used()) used += run.count;
    layout.free_blocks = static_cast<std::uint32_t>(layout.total_blocks - used);
    return layout;
}

} // namespace mediarig::media::hfsplus

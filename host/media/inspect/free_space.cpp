// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/free_space.hpp"

#include <algorithm>
#include <functional>

#include "host/media/inspect/load.hpp"

namespace mediarig::media {
namespace {

/// Allocation of a volume. Clusters count from 0 here, not from 2.
struct AllocationMap {
    std::uint32_t clusters{};
    std::uint32_t per_piece{}; ///< clusters that one piece describes
    Bytes piece_length;
    Bytes first_cluster, cluster_size; ///< position of cluster 0 on the medium
    std::function<Bytes(std::uint32_t piece)> place_of;
    std::function<bool(Raw piece, std::uint32_t index)> is_free; ///< `index` within the piece
};

constexpr std::uint32_t most_unreadable = 4;
constexpr std::uint32_t entries_before_clusters = 2; ///< FAT entries 0 and 1 describe no cluster

/// Searches only the piece that describes `wanted`: a sample need not find the nearest free cluster.
class Sampling {
public:
    Sampling(const MediumReader& medium, const AllocationMap& allocation) : medium_(medium), allocation_(allocation) {}

    std::optional<FreeSpaceSample> run() {
        for (std::uint32_t i = 0; i < free_space_places && sample_.unreadable < most_unreadable; ++i) {
            const auto wanted =
                static_cast<std::uint32_t>(std::uint64_t{allocation_.clusters} * (2 * i + 1) / (2 * free_space_places));
            if (!read_piece(wanted / allocation_.per_piece)) return std::nullopt;
            if (const auto cluster = free_cluster_from(std::max(wanted, next_))) {
                look_at(*cluster);
                next_ = *cluster + 1;
            }
        }
        return sample_;
    }

private:
    bool read_piece(std::uint32_t number) {
        if (piece_ && *piece_ == number) return true;
        auto bytes = medium_.sample(allocation_.place_of(number), allocation_.piece_length);
        if (!bytes) return false;
        bytes_ = std::move(*bytes);
        piece_ = number;
        return true;
    }

    [[nodiscard]] std::optional<std::uint32_t> free_cluster_from(std::uint32_t from) const {
        const std::uint64_t begin = std::uint64_t{*piece_} * allocation_.per_piece;
        const std::uint64_t end = std::min<std::uint64_t>(begin + allocation_.per_piece, allocation_.clusters);
        for (std::uint64_t cluster = std::max<std::uint64_t>(from, begin); cluster < end; ++cluster)
            if (allocation_.is_free(bytes_, static_cast<std::uint32_t>(cluster - begin)))
                return static_cast<std::uint32_t>(cluster);
        return std::nullopt;
    }

    void look_at(std::uint32_t cluster) {
        const Bytes at = allocation_.first_cluster + allocation_.cluster_size * cluster;
        const auto bytes = medium_.sample(at, free_space_place);
        if (!bytes) {
            ++sample_.unreadable;
            return;
        }
        ++sample_.sampled;
        if (all_equal(*bytes, bytes->front())) return;
        if (sample_.with_data++ == 0) sample_.first = at;
    }

    const MediumReader& medium_;
    const AllocationMap& allocation_;
    FreeSpaceSample sample_;
    std::vector<std::byte> bytes_;
    std::optional<std::uint32_t> piece_;
    std::uint32_t next_{}; ///< first cluster that was not sampled
};

std::optional<FreeSpaceSample> sample(const MediumReader& medium, const AllocationMap& allocation) {
    constexpr Bytes largest_sample{free_space_places * 2 * free_space_place.count + 8192};
    if (!medium.has_count_budget(largest_sample) || allocation.clusters == 0) return std::nullopt;
    return Sampling(medium, allocation).run();
}

} // namespace

std::optional<FreeSpaceSample> sample_free_space(const MediumReader& medium, Bytes start, const FatVolume& volume) {
    const FatBoot& boot = volume.boot;
    const Bytes fat = start + boot.fat_offset() + boot.fat_length() * boot.active_fat();
    AllocationMap allocation{.clusters = boot.cluster_count,
                             .per_piece = 0,
                             .piece_length = 512_B,
                             .first_cluster = start + boot.data_offset(),
                             .cluster_size = boot.cluster_size,
                             .place_of = {},
                             .is_free = {}};
    if (boot.bits == 12) {
        // Entries cross the boundaries of sectors: the whole FAT of at most 4084 clusters is one piece.
        allocation.per_piece = boot.cluster_count;
        allocation.piece_length = Bytes{((std::uint64_t{boot.cluster_count} + entries_before_clusters) * 3 + 1) / 2};
        allocation.place_of = [fat](std::uint32_t) { return fat; };
        allocation.is_free = [](Raw piece, std::uint32_t index) {
            const std::uint32_t entry = index + entries_before_clusters;
            const std::uint32_t pair = load_le<std::uint16_t>(piece, std::size_t{entry} * 3 / 2);
            return (entry % 2 == 0 ? pair & 0x0FFFu : pair >> 4) == 0;
        };
        return sample(medium, allocation);
    }
    const std::uint32_t width = boot.bits / 8u;
    allocation.per_piece = static_cast<std::uint32_t>(512u / width);
    allocation.place_of = [fat, width, per_piece = allocation.per_piece](std::uint32_t piece) {
        return fat + Bytes{width} * (std::uint64_t{piece} * per_piece + entries_before_clusters);
    };
    allocation.is_free = [width](Raw piece, std::uint32_t index) {
        constexpr std::uint32_t entry_bits = 0x0FFF'FFFF;
        return width == 2 ? load_le<std::uint16_t>(piece, std::size_t{index} * 2) == 0
                          : (load_le<std::uint32_t>(piece, std::size_t{index} * 4) & entry_bits) == 0;
    };
    return sample(medium, allocation);
}

std::optional<FreeSpaceSample> sample_free_space(const MediumReader& medium, Bytes start, const ExfatVolume& volume) {
    if (!volume.root) return std::nullopt;
    const ExfatBoot& boot = volume.boot;
    const bool second = boot.second_fat_active && volume.root->second_bitmap &&
                        boot.holds_cluster(volume.root->second_bitmap->first_cluster);
    const ExfatExtent& extent = second ? *volume.root->second_bitmap : volume.root->bitmap;
    constexpr Bytes piece{64};
    constexpr std::uint32_t per_piece = 64 * 8;
    const Bytes bitmap = start + boot.cluster_offset(extent.first_cluster);
    return sample(medium, {.clusters = boot.cluster_count,
                           .per_piece = per_piece,
                           .piece_length = piece,
                           .first_cluster = start + boot.heap_offset,
                           .cluster_size = boot.cluster_size,
                           .place_of = [bitmap, piece](std::uint32_t number) { return bitmap + piece * number; },
                           .is_free =
                               [](Raw bits, std::uint32_t index) {
                                   return (std::to_integer<unsigned>(bits[index / 8]) >> (index % 8) & 1u) == 0;
                               }});
}

} // namespace mediarig::media

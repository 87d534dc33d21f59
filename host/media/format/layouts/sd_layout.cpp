// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/layouts/sd_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/base/text.hpp"
#include "host/media/inspect/fat.hpp"

namespace mediarig::media {
namespace {

constexpr Bytes sector = 512_B;

constexpr Bytes root_entry = 32_B;

auto does_not_fit(Bytes capacity, const SdLayout& layout) {
    return fail(Errc::bad_request,
                fmt::format("the SD layout requires, on a medium of {}, the file system {} with clusters of {} bytes, "
                            "which does not fit on the medium: choose another profile",
                            size_text(capacity), name_of(layout.file_system), layout.cluster_size.count));
}

/// Partition, FAT and cluster heap each begin at a multiple of half a boundary unit.
Result<SdVolume> lay_out_exfat(Bytes capacity, const SdLayout& layout) {
    const Bytes unit = layout.boundary_unit, half{unit.count / 2};
    // Every capacity class with exFAT begins above 32 GiB, so two units of at most 64 MiB always fit.
    const std::uint64_t clusters = (capacity - unit * 2) / layout.cluster_size;
    return SdVolume{.layout = layout,
                    .start = unit,
                    .length = unit + layout.cluster_size * clusters,
                    .fat_offset = half,
                    .fat_length = half,
                    .data_offset = unit,
                    .clusters = clusters};
}

/// The data area begins on the first boundary unit with enough space before it for the other structures. On FAT32
/// reserved sectors fill the gap; on FAT12 and FAT16 the partition begins later by the length of the gap.
Result<SdVolume> lay_out_fat(Bytes capacity, const SdLayout& layout) {
    const FatWidth& kind = fat_width(name_of(layout.file_system));
    const Bytes unit = layout.boundary_unit;
    for (Bytes data = unit * 2; data + layout.cluster_size <= capacity; data += unit) {
        const std::uint64_t clusters = std::min((capacity - data) / layout.cluster_size, kind.most_clusters);
        const Bytes fat = align_up(Bytes{((clusters + 2) * kind.bits + 7) / 8}, sector);
        const Bytes front = sector * kind.least_reserved + fat * 2 + root_entry * kind.root_entries;
        if (data < unit + front) continue;
        if (clusters < kind.least_clusters) break;
        const bool starts_on_unit = kind.bits == 32;
        const Bytes start = starts_on_unit ? unit : data - front;
        return SdVolume{.layout = layout,
                        .start = start,
                        .length = data - start + layout.cluster_size * clusters,
                        .fat_offset = starts_on_unit ? data - start - fat * 2 : sector * kind.least_reserved,
                        .fat_length = fat,
                        .data_offset = data - start,
                        .clusters = clusters};
    }
    return does_not_fit(capacity, layout);
}

} // namespace

std::optional<SdLayout> sd_layout_for(Bytes capacity) {
    static constexpr std::array layouts{SdLayout{8_MiB, 8_KiB, 8_KiB, FileSystem::fat12},
                                        SdLayout{64_MiB, 16_KiB, 16_KiB, FileSystem::fat12},
                                        SdLayout{256_MiB, 16_KiB, 32_KiB, FileSystem::fat16},
                                        SdLayout{1_GiB, 16_KiB, 64_KiB, FileSystem::fat16},
                                        SdLayout{2_GiB, 32_KiB, 64_KiB, FileSystem::fat16},
                                        SdLayout{32_GiB, 32_KiB, 4_MiB, FileSystem::fat32},
                                        SdLayout{128_GiB, 128_KiB, 16_MiB, FileSystem::exfat},
                                        SdLayout{512_GiB, 256_KiB, 32_MiB, FileSystem::exfat},
                                        SdLayout{{2ULL << 40}, 512_KiB, 64_MiB, FileSystem::exfat}};
    const auto fits = std::ranges::find_if(layouts, [&](const SdLayout& layout) { return capacity <= layout.up_to; });
    return fits != layouts.end() ? std::optional(*fits) : std::nullopt;
}

Result<SdVolume> sd_volume_for(Bytes capacity) {
    const auto layout = sd_layout_for(capacity);
    if (!layout)
        return fail(Errc::bad_request, fmt::format("the SD layout of a medium of {} is not publicly known: the SDUC "
                                                   "layout above 2 TiB is not published, choose another profile",
                                                   size_text(capacity)));
    return layout->file_system == FileSystem::exfat ? lay_out_exfat(capacity, *layout) : lay_out_fat(capacity, *layout);
}

} // namespace mediarig::media

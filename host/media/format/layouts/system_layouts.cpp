// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/layouts/system_layouts.hpp"

#include <algorithm>
#include <array>

namespace mediarig::media {
namespace {

struct ClusterRange {
    Bytes up_to, cluster;
};

template <std::size_t count>
std::optional<Bytes> cluster_in(const std::array<ClusterRange, count>& ranges, Bytes volume) {
    const auto range =
        std::ranges::find_if(ranges, [&](const ClusterRange& candidate) { return volume <= candidate.up_to; });
    return range != ranges.end() ? std::optional(range->cluster) : std::nullopt;
}

constexpr Bytes behind_efi = macos_efi_start + macos_efi_length;

} // namespace

std::optional<Bytes> usual_exfat_cluster(Bytes volume) {
    static constexpr std::array ranges{ClusterRange{256_MiB, 4_KiB}, ClusterRange{32_GiB, 32_KiB},
                                       ClusterRange{{256ULL << 40}, 128_KiB}};
    return cluster_in(ranges, volume);
}

std::optional<Bytes> macos_exfat_cluster(Bytes volume) {
    constexpr Bytes known_to{16'000'000'000}, known_from{60'000'000'000};
    if (volume <= known_to) return 32_KiB;
    return volume >= known_from ? std::optional(128_KiB) : std::nullopt;
}

Bytes macos_fat32_cluster(Bytes volume) {
    static constexpr std::array ranges{ClusterRange{260_MiB, 512_B}, ClusterRange{8_GiB, 4_KiB},
                                       ClusterRange{16_GiB, 8_KiB}, ClusterRange{32_GiB, 16_KiB}};
    return cluster_in(ranges, volume).value_or(32_KiB);
}

Bytes macos_start_of(FileSystem fs) {
    switch (fs) {
        case FileSystem::exfat:
        case FileSystem::fat32:
        case FileSystem::fat16:
        case FileSystem::fat12:
            return align_up(behind_efi, 1_MiB);
        case FileSystem::apfs:
        case FileSystem::hfs_plus_journaled:
        case FileSystem::hfs_plus:
        case FileSystem::hfsx_journaled:
            break;
    }
    return behind_efi;
}

} // namespace mediarig::media

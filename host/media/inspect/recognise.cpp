// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/recognise.hpp"

#include <fmt/format.h>

#include "host/media/inspect/fat.hpp"

namespace mediarig::media {

namespace {

/// The parameter block alone is evidence enough only if its values agree: the FAT must have entries for the clusters,
/// except for the few that some formatters forget.
bool is_consistent(Raw sector, const FatLayout& layout) {
    const std::uint64_t fats = load_le<std::uint8_t>(sector, 0x10), root_entries = load_le<std::uint16_t>(sector, 0x11);
    if (fats > 2 || (layout.bits == 32) != (root_entries == 0)) return false;
    if (root_entries * fat_entry_length.count % layout.sector_size != 0) return false;
    const std::uint64_t entries = layout.fat_sectors * layout.sector_size * 8 / layout.bits;
    return entries >= layout.clusters;
}

} // namespace

std::string recognise_boot_sector(Raw sector) {
    if (sector.size() < 512) return {};
    const auto jump = load_le<std::uint8_t>(sector, 0);
    const bool complete = load_le<std::uint16_t>(sector, 510) == 0xAA55 && (jump == 0xEB || jump == 0xE9);
    if (complete && holds(sector, 3, "NTFS    ")) return "ntfs";
    const auto layout = fat_layout(sector);
    if (!layout || (!complete && !is_consistent(sector, *layout))) return {};
    return fmt::format("fat{}", layout->bits);
}

} // namespace mediarig::media

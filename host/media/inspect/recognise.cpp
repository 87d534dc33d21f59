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

namespace {

/// True if at most three of the eight characters differ.
bool resembles(Raw sector, std::string_view name) {
    constexpr std::size_t name_at = 3, most_different = 3;
    std::size_t different = 0;
    for (std::size_t i = 0; i < name.size(); ++i)
        different += sector[name_at + i] != static_cast<std::byte>(name[i]) ? 1u : 0u;
    return different <= most_different;
}

/// The jump over the parameters of a volume, with these parameters. Boot code of an MBR has no such jump (Windows,
/// FreeBSD), or zeros behind it (GRUB).
bool has_parameters(Raw sector) {
    constexpr std::size_t parameters_at = 3, parameters_length = 33;
    const auto jump = load_le<std::uint8_t>(sector, 0);
    const bool jumps = jump == 0xE9 || (jump == 0xEB && load_le<std::uint8_t>(sector, 2) == 0x90);
    return jumps && !all_equal(sector.subspan(parameters_at, parameters_length), std::byte{0});
}

} // namespace

std::string damage_of_boot_sector(Raw sector) {
    constexpr std::size_t fat16_text_at = 0x36, fat32_text_at = 0x52;
    if (sector.size() < 512 || load_le<std::uint16_t>(sector, 510) != 0xAA55) return {};
    if (resembles(sector, "EXFAT   ")) return "FileSystemName";
    if (resembles(sector, "NTFS    ")) return "OEM ID";
    const bool named = holds(sector, fat16_text_at, "FAT") || holds(sector, fat32_text_at, "FAT");
    if (!named && !has_parameters(sector)) return {};
    const auto layout = fat_layout(sector);
    return layout ? "its fields contradict each other" : layout.error().detail;
}

} // namespace mediarig::media

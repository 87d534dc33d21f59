// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/recognise.hpp"

#include <bit>
#include <cstring>

#include "host/media/inspect/fat.hpp"

namespace mediarig::media {

std::string recognise_boot_sector(Raw sector) {
    if (sector.size() < 512 || load_le<std::uint16_t>(sector, 510) != 0xAA55) return {};
    const auto jump = load_le<std::uint8_t>(sector, 0);
    if (jump != 0xEB && jump != 0xE9) return {};
    if (std::memcmp(sector.data() + 3, "NTFS    ", 8) == 0) return "ntfs";

    const std::uint32_t sector_size = load_le<std::uint16_t>(sector, 0x0B);
    const std::uint32_t cluster_sectors = load_le<std::uint8_t>(sector, 0x0D);
    const std::uint32_t reserved = load_le<std::uint16_t>(sector, 0x0E);
    const std::uint32_t fats = load_le<std::uint8_t>(sector, 0x10);
    const auto media = load_le<std::uint8_t>(sector, 0x15);
    if (sector_size < 512 || sector_size > 4096 || !std::has_single_bit(sector_size)) return {};
    if (!std::has_single_bit(cluster_sectors) || reserved == 0 || fats == 0 || fats > 2) return {};
    if (media != 0xF0 && media < 0xF8) return {};

    const std::uint64_t root_entries = load_le<std::uint16_t>(sector, 0x11);
    const std::uint64_t short_total = load_le<std::uint16_t>(sector, 0x13);
    const std::uint64_t short_fat = load_le<std::uint16_t>(sector, 0x16);
    const std::uint64_t total = short_total != 0 ? short_total : load_le<std::uint32_t>(sector, 0x20);
    const std::uint64_t fat = short_fat != 0 ? short_fat : load_le<std::uint32_t>(sector, 0x24);
    const std::uint64_t before_data = reserved + fats * fat + (root_entries * 32 + sector_size - 1) / sector_size;
    if (fat == 0 || before_data >= total) return {};
    const std::uint64_t clusters = (total - before_data) / cluster_sectors;
    return std::string(fat_width_of(clusters).name);
}

} // namespace mediarig::media

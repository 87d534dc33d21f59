// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/recognise.hpp"

#include <bit>
#include <cstring>

namespace mediarig::media {

bool is_hfs_plus(Raw header) {
    if (header.size() < 512) return false;
    const auto signature = load_be<std::uint16_t>(header, 0);
    const auto version = load_be<std::uint16_t>(header, 2);
    return (signature == 0x482B && version == 4) || (signature == 0x4858 && version == 5);
}

Result<HfsPlusHeader> parse_hfs_plus(Raw header) {
    if (!is_hfs_plus(header)) return fail(Errc::bad_format, "signature");
    const auto attributes = load_be<std::uint32_t>(header, 4);
    const auto block_size = load_be<std::uint32_t>(header, 0x28);
    if (block_size < 512 || !std::has_single_bit(block_size)) return fail(Errc::bad_format, "blockSize");
    HfsPlusHeader parsed{.case_sensitive = load_be<std::uint16_t>(header, 0) == 0x4858,
                         .journaled = (attributes & 0x2000) != 0,
                         .unmounted = (attributes & 0x100) != 0,
                         .version = load_be<std::uint16_t>(header, 2),
                         .block_size = {block_size},
                         .total_blocks = load_be<std::uint32_t>(header, 0x2C),
                         .free_blocks = load_be<std::uint32_t>(header, 0x30),
                         .last_mounted_by = text_from_utf8(header.subspan(8, 4))};
    if (parsed.free_blocks > parsed.total_blocks) return fail(Errc::bad_format, "freeBlocks");
    return parsed;
}

std::string name_of(const HfsPlusHeader& header) {
    return std::string(header.case_sensitive ? "hfsx" : "hfs+") +
           (header.journaled ? (header.case_sensitive ? "+j" : "j") : "");
}

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
    return clusters < 4085 ? "fat12" : clusters < 65525 ? "fat16" : "fat32";
}

} // namespace mediarig::media

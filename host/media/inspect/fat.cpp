// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/fat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace mediarig::media {
namespace {

constexpr std::uint8_t extended_boot_signature = 0x29;
/// Maximum number of clusters: the largest 28-bit number, minus the reserved values.
constexpr std::uint64_t most_clusters = 0x0FFFFFF5;

std::string trimmed(Raw raw) {
    std::string text = text_from_utf8(raw);
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

bool is_label(Raw entry) {
    const auto attributes = load_le<std::uint8_t>(entry, 11);
    // Attribute 0F marks a part of a long name.
    return (attributes & 0x3F) != 0x0F && (attributes & 0x18) == 0x08;
}

} // namespace

Result<FatBoot> parse_fat_boot(Raw sector) {
    if (sector.size() < 512 || load_le<std::uint16_t>(sector, 510) != 0xAA55)
        return fail(Errc::bad_format, "Signature_word");
    const auto jump = load_le<std::uint8_t>(sector, 0);
    if (jump != 0xEB && jump != 0xE9) return fail(Errc::bad_format, "BS_jmpBoot");
    const std::uint32_t sector_size = load_le<std::uint16_t>(sector, 0x0B);
    if (sector_size < 512 || sector_size > 4096 || !std::has_single_bit(sector_size))
        return fail(Errc::bad_format, "BPB_BytsPerSec");
    const std::uint32_t cluster_sectors = load_le<std::uint8_t>(sector, 0x0D);
    if (!std::has_single_bit(cluster_sectors)) return fail(Errc::bad_format, "BPB_SecPerClus");

    FatBoot boot{.bits = 0,
                 .oem_name = trimmed(sector.subspan(3, 8)),
                 .sector_size = {sector_size},
                 .cluster_size = Bytes{sector_size} * cluster_sectors,
                 .reserved_sectors = load_le<std::uint16_t>(sector, 0x0E),
                 .number_of_fats = load_le<std::uint8_t>(sector, 0x10),
                 .root_entries = load_le<std::uint16_t>(sector, 0x11),
                 .media = load_le<std::uint8_t>(sector, 0x15),
                 .hidden_sectors = load_le<std::uint32_t>(sector, 0x1C)};
    if (boot.reserved_sectors == 0) return fail(Errc::bad_format, "BPB_RsvdSecCnt");
    if (boot.number_of_fats == 0 || boot.number_of_fats > 2) return fail(Errc::bad_format, "BPB_NumFATs");
    if (boot.media != 0xF0 && boot.media < 0xF8) return fail(Errc::bad_format, "BPB_Media");
    const std::uint32_t short_fat = load_le<std::uint16_t>(sector, 0x16);
    const std::uint32_t short_total = load_le<std::uint16_t>(sector, 0x13);
    boot.fat_sectors = short_fat != 0 ? short_fat : load_le<std::uint32_t>(sector, 0x24);
    boot.short_total = short_total != 0;
    boot.total_sectors = short_total != 0 ? short_total : load_le<std::uint32_t>(sector, 0x20);
    if (boot.fat_sectors == 0) return fail(Errc::bad_format, "BPB_FATSz");
    if (boot.data_offset() >= boot.volume_length()) return fail(Errc::bad_format, "BPB_TotSec");

    const std::uint64_t clusters = (boot.volume_length() - boot.data_offset()) / boot.cluster_size;
    if (clusters == 0 || clusters > most_clusters) return fail(Errc::bad_format, "count of clusters");
    boot.cluster_count = static_cast<std::uint32_t>(clusters);
    boot.bits = fat_width_of(clusters).bits;
    const std::uint64_t fat_bits = boot.fat_length().count * 8;
    if (fat_bits < (clusters + 2) * boot.bits) return fail(Errc::bad_format, "BPB_FATSz");

    // The extended part follows the fields that only FAT32 has.
    boot.fat32_layout = short_fat == 0;
    const std::size_t extended = short_fat == 0 ? 0x40 : 0x24;
    if (short_fat == 0) {
        boot.ext_flags = load_le<std::uint16_t>(sector, 0x28);
        boot.fs_version = load_le<std::uint16_t>(sector, 0x2A);
        boot.root_cluster = load_le<std::uint32_t>(sector, 0x2C);
        boot.info_sector = load_le<std::uint16_t>(sector, 0x30);
        boot.backup_sector = load_le<std::uint16_t>(sector, 0x32);
    }
    if (boot.bits == 32 && (boot.root_cluster < 2 || boot.root_cluster - 2 >= boot.cluster_count))
        return fail(Errc::bad_format, "BPB_RootClus");
    if (boot.active_fat() >= boot.number_of_fats) return fail(Errc::bad_format, "BPB_ExtFlags");
    boot.drive_number = load_le<std::uint8_t>(sector, extended);
    boot.marked_dirty = (load_le<std::uint8_t>(sector, extended + 1) & 1) != 0;
    if (load_le<std::uint8_t>(sector, extended + 2) == extended_boot_signature) {
        boot.serial = load_le<std::uint32_t>(sector, extended + 3);
        boot.label = trimmed(sector.subspan(extended + 7, 11));
        boot.type_text = trimmed(sector.subspan(extended + 18, 8));
    }
    const std::size_t code = extended + 26;
    boot.boot_code_is_f4 = all_equal(sector.subspan(code, 510 - code), std::byte{0xF4});
    return boot;
}

Result<FatInfo> parse_fat_info(Raw sector) {
    if (load_le<std::uint32_t>(sector, 0) != 0x41615252) return fail(Errc::bad_format, "FSI_LeadSig");
    if (load_le<std::uint32_t>(sector, 0x1E4) != 0x61417272) return fail(Errc::bad_format, "FSI_StrucSig");
    if (load_le<std::uint32_t>(sector, 0x1FC) != 0xAA550000) return fail(Errc::bad_format, "FSI_TrailSig");
    const auto known = [&](std::size_t at) -> std::optional<std::uint32_t> {
        const auto value = load_le<std::uint32_t>(sector, at);
        return value == 0xFFFFFFFF ? std::nullopt : std::optional(value);
    };
    return FatInfo{.free_clusters = known(0x1E8), .next_free = known(0x1EC)};
}

FatHead parse_fat_head(Raw fat, unsigned bits) {
    FatHead head{.media = load_le<std::uint8_t>(fat, 0)};
    if (bits == 16) {
        const auto second = load_le<std::uint16_t>(fat, 2);
        head.clean = (second & 0x8000) != 0;
        head.no_hard_error = (second & 0x4000) != 0;
    } else if (bits == 32) {
        const auto second = load_le<std::uint32_t>(fat, 4);
        head.clean = (second & 0x08000000) != 0;
        head.no_hard_error = (second & 0x04000000) != 0;
    }
    return head;
}

std::optional<std::string> fat_root_label(Raw entries) {
    constexpr std::size_t entry_size = 32;
    for (std::size_t at = 0; at + entry_size <= entries.size(); at += entry_size) {
        const Raw entry = entries.subspan(at, entry_size);
        const auto first = load_le<std::uint8_t>(entry, 0);
        if (first == 0x00) break;
        if (first != 0xE5 && is_label(entry)) return trimmed(entry.first(11));
    }
    return std::nullopt;
}

} // namespace mediarig::media

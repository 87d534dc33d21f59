// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/fat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "host/base/text.hpp"

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

Result<FatLayout> fat_layout(Raw sector) {
    if (sector.size() < 512) return fail(Errc::bad_format, "Signature_word");
    FatLayout layout{.sector_size = load_le<std::uint16_t>(sector, 0x0B),
                     .cluster_sectors = load_le<std::uint8_t>(sector, 0x0D)};
    if (layout.sector_size < 512 || layout.sector_size > 4096 || !std::has_single_bit(layout.sector_size))
        return fail(Errc::bad_format, "BPB_BytsPerSec");
    if (!std::has_single_bit(layout.cluster_sectors)) return fail(Errc::bad_format, "BPB_SecPerClus");
    const std::uint64_t reserved = load_le<std::uint16_t>(sector, 0x0E), fats = load_le<std::uint8_t>(sector, 0x10),
                        root_entries = load_le<std::uint16_t>(sector, 0x11);
    const auto media = load_le<std::uint8_t>(sector, 0x15);
    const std::uint64_t short_total = load_le<std::uint16_t>(sector, 0x13),
                        short_fat = load_le<std::uint16_t>(sector, 0x16);
    if (reserved == 0) return fail(Errc::bad_format, "BPB_RsvdSecCnt");
    if (fats == 0) return fail(Errc::bad_format, "BPB_NumFATs");
    if (media != 0xF0 && media < 0xF8) return fail(Errc::bad_format, "BPB_Media");
    layout.fat_sectors = short_fat != 0 ? short_fat : load_le<std::uint32_t>(sector, 0x24);
    layout.total_sectors = short_total != 0 ? short_total : load_le<std::uint32_t>(sector, 0x20);
    if (layout.fat_sectors == 0) return fail(Errc::bad_format, "BPB_FATSz");
    const std::uint64_t root_bytes = root_entries * fat_entry_length.count;
    layout.before_data =
        reserved + fats * layout.fat_sectors + (root_bytes + layout.sector_size - 1) / layout.sector_size;
    if (layout.before_data >= layout.total_sectors) return fail(Errc::bad_format, "BPB_TotSec");
    layout.clusters = (layout.total_sectors - layout.before_data) / layout.cluster_sectors;
    if (layout.clusters == 0) return fail(Errc::bad_format, "count of clusters");
    // Drivers know FAT32 by the missing 16-bit size of the FAT, whatever the number of clusters.
    layout.bits = short_fat == 0 ? 32 : layout.clusters <= fat_widths[0].most_clusters ? 12 : 16;
    return layout;
}

namespace {

/// Notes the fields that a formatter would have set in another way, and with which drivers continue.
void note_defects(Raw sector, const FatLayout& layout, FatBoot& boot) {
    const auto note = [&boot](const std::string& text) { boot.defects.push_back(text); };
    const auto jump = load_le<std::uint8_t>(sector, 0);
    if (jump != 0xEB && jump != 0xE9)
        note(fmt::format("BS_jmpBoot begins with {:#04x}, 0xeb or 0xe9 expected: Windows does not mount the volume",
                         jump));
    if (const auto signature = load_le<std::uint16_t>(sector, 510); signature != 0xAA55)
        note(fmt::format("Signature_word is {:#06x}, 0xaa55 expected: Windows does not mount the volume", signature));
    if (boot.number_of_fats > 2) note(fmt::format("BPB_NumFATs is {}, 1 or 2 expected", boot.number_of_fats));
    if (boot.bits == 32 && !boot.mirrored() && (boot.ext_flags & 0xFu) >= boot.number_of_fats)
        note(fmt::format("BPB_ExtFlags selects FAT {}, but BPB_NumFATs is {}", boot.ext_flags & 0xFu,
                         boot.number_of_fats));
    if (boot.cluster_count < layout.clusters)
        note(fmt::format("BPB_FATSz: the FAT has entries for {} clusters, BPB_TotSec gives {}: drivers use {}",
                         boot.cluster_count, layout.clusters, boot.cluster_count));
    if (boot.bits == 32 && boot.root_entries != 0)
        note(fmt::format("BPB_RootEntCnt is {}, 0 expected on FAT32", boot.root_entries));
    if (boot.bits != 32 &&
        (boot.root_entries == 0 || boot.root_entries * fat_entry_length.count % layout.sector_size != 0))
        note(fmt::format("BPB_RootEntCnt is {}, a multiple of {} above 0 expected", boot.root_entries,
                         layout.sector_size / fat_entry_length.count));
    if (boot.bits == 16 && boot.cluster_count > fat_widths[1].most_clusters)
        note(fmt::format("FAT16 with {} clusters, at most {} expected: Linux does not mount the volume",
                         boot.cluster_count, fat_widths[1].most_clusters));
}

} // namespace

Result<FatBoot> parse_fat_boot(Raw sector) {
    const auto layout = fat_layout(sector);
    if (!layout) return fail(layout.error());
    FatBoot boot{.bits = layout->bits,
                 .oem_name = trimmed(sector.subspan(3, 8)),
                 .sector_size = {layout->sector_size},
                 .cluster_size = Bytes{layout->sector_size} * layout->cluster_sectors,
                 .reserved_sectors = load_le<std::uint16_t>(sector, 0x0E),
                 .number_of_fats = load_le<std::uint8_t>(sector, 0x10),
                 .root_entries = load_le<std::uint16_t>(sector, 0x11),
                 .media = load_le<std::uint8_t>(sector, 0x15),
                 .fat_sectors = static_cast<std::uint32_t>(layout->fat_sectors),
                 .hidden_sectors = load_le<std::uint32_t>(sector, 0x1C),
                 .total_sectors = layout->total_sectors,
                 .short_total = load_le<std::uint16_t>(sector, 0x13) != 0};
    const std::uint64_t fat_entries = boot.fat_length().count * 8 / boot.bits;
    if (fat_entries < 3) return fail(Errc::bad_format, "BPB_FATSz");
    const std::uint64_t clusters = std::min(layout->clusters, fat_entries - 2);
    if (clusters > most_clusters) return fail(Errc::bad_format, "count of clusters");
    boot.cluster_count = static_cast<std::uint32_t>(clusters);

    // The extended part follows the fields that only FAT32 has.
    boot.fat32_layout = boot.bits == 32;
    const std::size_t extended = boot.fat32_layout ? 0x40 : 0x24;
    if (boot.fat32_layout) {
        boot.ext_flags = load_le<std::uint16_t>(sector, 0x28);
        boot.fs_version = load_le<std::uint16_t>(sector, 0x2A);
        boot.root_cluster = load_le<std::uint32_t>(sector, 0x2C);
        boot.info_sector = load_le<std::uint16_t>(sector, 0x30);
        boot.backup_sector = load_le<std::uint16_t>(sector, 0x32);
    }
    if (boot.bits == 32 && (boot.root_cluster < 2 || boot.root_cluster - 2 >= boot.cluster_count))
        return fail(Errc::bad_format, "BPB_RootClus");
    boot.drive_number = load_le<std::uint8_t>(sector, extended);
    boot.marked_dirty = (load_le<std::uint8_t>(sector, extended + 1) & 1) != 0;
    if (load_le<std::uint8_t>(sector, extended + 2) == extended_boot_signature) {
        boot.serial = load_le<std::uint32_t>(sector, extended + 3);
        boot.label = trimmed(sector.subspan(extended + 7, 11));
        boot.type_text = trimmed(sector.subspan(extended + 18, 8));
    }
    const std::size_t code = extended + 26;
    boot.boot_code_is_f4 = all_equal(sector.subspan(code, 510 - code), std::byte{0xF4});
    note_defects(sector, *layout, boot);
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

std::optional<FatLabel> fat_root_label(Raw entries) {
    for (Bytes at{}; at + fat_entry_length <= Bytes{entries.size()}; at += fat_entry_length) {
        const Raw entry = entries.subspan(at.count, fat_entry_length.count);
        const auto first = load_le<std::uint8_t>(entry, 0);
        if (first == 0x00) break;
        if (first != 0xE5 && is_label(entry)) return FatLabel{.text = fat_label_text(entry.first(11)), .at = at};
    }
    return std::nullopt;
}

std::optional<Bytes> fat_invalid_entry(Raw entries) {
    constexpr std::uint8_t reserved_attributes = 0xC0, part_of_long_name = 0x0F, kanji_e5 = 0x05;
    constexpr std::size_t name_length = 11, attributes_at = 11, type_at = 12, cluster_at = 26;
    for (std::size_t at = 0; at + fat_entry_length.count <= entries.size(); at += fat_entry_length.count) {
        const Raw entry = entries.subspan(at, fat_entry_length.count);
        const auto first = load_le<std::uint8_t>(entry, 0), attributes = load_le<std::uint8_t>(entry, attributes_at);
        if (first == 0x00) break;
        if (first == 0xE5) continue;
        bool valid = (attributes & reserved_attributes) == 0;
        if ((attributes & 0x3F) == part_of_long_name) {
            valid =
                valid && load_le<std::uint8_t>(entry, type_at) == 0 && load_le<std::uint16_t>(entry, cluster_at) == 0;
        } else if (!is_label(entry)) { // a label may have any bytes
            for (std::size_t i = 0; i < name_length; ++i)
                valid = valid && (load_le<std::uint8_t>(entry, i) >= 0x20 || (i == 0 && first == kanji_e5));
        }
        if (!valid) return Bytes{at};
    }
    return std::nullopt;
}

bool fat_directory_ends(Raw entries) {
    for (std::size_t at = 0; at + fat_entry_length.count <= entries.size(); at += fat_entry_length.count)
        if (entries[at] == std::byte{0}) return true;
    return false;
}

std::string fat_label_text(Raw bytes) {
    std::string kept;
    for (const std::byte byte : bytes) kept += static_cast<char>(byte);
    kept.erase(kept.find_last_not_of(' ') + 1);
    if (kept.starts_with('\x05')) kept.front() = '\xE5';
    std::string text;
    for (std::string_view rest = kept; !rest.empty();) {
        const CodePoint point = first_code_point(rest);
        if (point.valid && !is_control(point.value))
            text += rest.substr(0, point.length);
        else
            for (const char byte : rest.substr(0, point.length))
                text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
        rest.remove_prefix(point.length);
    }
    return text;
}

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/read_fat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::media {
namespace {

constexpr Bytes largest_counted_fat = 16_MiB;
constexpr Bytes piece_of_fat = 1_MiB;
/// Part of each FAT that is compared: enough to detect a FAT that was lost or belongs to an earlier format.
constexpr Bytes compared_excerpt = 4_KiB;
/// Space for 4086 entries of 12 bits, in whole bytes, and for the byte that the last entry shares with the following
/// entry.
constexpr Bytes largest_fat12 = 6_KiB;
/// Part of a root directory that is searched for the label. Formatters put it first; tools may append it to a directory
/// with many files.
constexpr Bytes fat_root_excerpt = 256_KiB;
constexpr Bytes fat_root_piece = 16_KiB;

/// Position of the volume on the medium, and the problems found.
class FatReading {
public:
    FatReading(const MediumReader& medium, Bytes start, FatVolume& volume)
        : medium_(medium), start_(start), volume_(volume) {}

    void backup() {
        const FatBoot& boot = volume_.boot;
        if (boot.bits != 32) return;
        if (boot.fs_version != 0)
            note(fmt::format("FAT boot sector at byte {}: BPB_FSVer is {:#x}", start_.count, boot.fs_version));
        if (absent(boot.backup_sector)) return;
        if (boot.backup_sector >= boot.reserved_sectors)
            return note(fmt::format("FAT boot sector at byte {}: BPB_BkBootSec is {}, beyond the {} reserved sectors",
                                    start_.count, boot.backup_sector, boot.reserved_sectors));
        const Bytes at = start_ + boot.sector_size * boot.backup_sector;
        const auto main = read("FAT boot sector", start_, 512_B);
        const auto copy = read("backup boot sector", at, 512_B);
        if (!main || !copy || *main == *copy) return;
        // Drivers set the flag of a mounted volume at 41h only in the first sector.
        for (std::size_t i = 0; i < main->size(); ++i)
            if (i != 0x41 && (*main)[i] != (*copy)[i])
                return note(
                    fmt::format("backup boot sector at byte {} differs from the main one at its byte {}", at.count, i));
    }

    void info() {
        const FatBoot& boot = volume_.boot;
        if (boot.bits != 32 || absent(boot.info_sector)) return;
        if (boot.info_sector >= boot.reserved_sectors)
            return note(fmt::format("FAT boot sector at byte {}: BPB_FSInfo is {}, beyond the {} reserved sectors",
                                    start_.count, boot.info_sector, boot.reserved_sectors));
        const Bytes at = start_ + boot.sector_size * boot.info_sector;
        const auto raw = read("FSInfo", at, 512_B);
        if (!raw) return;
        const auto parsed = parse_fat_info(*raw);
        if (!parsed) return note(fmt::format("FSInfo at byte {}: {}", at.count, parsed.error().detail));
        volume_.info = *parsed;
        if (parsed->free_clusters && *parsed->free_clusters > boot.cluster_count)
            note(fmt::format("FSInfo at byte {}: FSI_Free_Count is {}, there are {} clusters", at.count,
                             *parsed->free_clusters, boot.cluster_count));
        const std::uint32_t next = parsed->next_free.value_or(0);
        if (next != 0 && (next == 1 || next - 2 >= boot.cluster_count))
            note(fmt::format("FSInfo at byte {}: FSI_Nxt_Free is {}, there are {} clusters", at.count, next,
                             boot.cluster_count));
    }

    void fats() {
        const FatBoot& boot = volume_.boot;
        const Bytes at = start_ + boot.fat_offset() + boot.fat_length() * boot.active_fat();
        const Bytes excerpt = std::min(boot.fat_length(), compared_excerpt);
        const auto raw = read("FAT", at, excerpt);
        if (!raw) return;
        volume_.head = parse_fat_head(*raw, boot.bits);
        if (volume_.head->media != boot.media)
            note(fmt::format("FAT at byte {}: FAT[0] has the media byte {:#04x}, BPB_Media is {:#04x}", at.count,
                             volume_.head->media, boot.media));
        if (boot.mirrored() && boot.number_of_fats >= 2) compare_copy(at, *raw);
        if (boot.fat_length() > largest_counted_fat || !medium_.has_count_budget(boot.fat_length())) return;
        count(at);
    }

    /// Follows the root directory of FAT32 to its end. Its largest length is that of the entries of one directory.
    void root_chain() {
        constexpr Bytes longest_directory = fat_entry_length * 65536;
        const FatBoot& boot = volume_.boot;
        if (boot.bits != 32) return;
        std::set<std::uint32_t> seen;
        std::optional<std::uint32_t> cluster = boot.root_cluster;
        for (Bytes length{}; cluster && length < longest_directory; length += boot.cluster_size) {
            if (!seen.insert(*cluster).second)
                return note(fmt::format("root directory: its chain in the FAT at byte {} returns to cluster {}",
                                        (start_ + boot.fat_offset()).count, *cluster));
            cluster = next_cluster(*cluster);
        }
    }

    void label() {
        const FatBoot& boot = volume_.boot;
        if (boot.bits != 32) {
            const Bytes length = std::min(boot.data_offset() - boot.root_offset(), fat_root_excerpt);
            label_within(boot.root_offset(), length);
            return;
        }
        Bytes searched{};
        std::uint32_t cluster = boot.root_cluster;
        while (searched < fat_root_excerpt) {
            const Bytes at = boot.data_offset() + boot.cluster_size * (cluster - 2);
            if (label_within(at, std::min(boot.cluster_size, fat_root_excerpt - searched))) return;
            searched += boot.cluster_size;
            const auto next = next_cluster(cluster);
            if (!next) return;
            cluster = *next;
        }
    }

private:
    /// Searches a part of the root directory; returns true if the search ends there.
    bool label_within(Bytes at, Bytes length) {
        for (Bytes done{}; done < length; done += fat_root_piece) {
            const auto raw = read("root directory", start_ + at + done, std::min(fat_root_piece, length - done));
            if (!raw) return true;
            if (const auto invalid = fat_invalid_entry(*raw)) {
                note(fmt::format("root directory: the entry at byte {} is invalid",
                                 (start_ + at + done + *invalid).count));
                return true;
            }
            if (const auto label = fat_root_label(*raw)) {
                volume_.root_label = label->text;
                volume_.root_label_at = at + done + label->at;
                return true;
            }
            if (fat_directory_ends(*raw)) return true;
        }
        return false;
    }

    /// The cluster that follows in a FAT32; empty at the end of the chain, or if it is damaged, which is reported.
    std::optional<std::uint32_t> next_cluster(std::uint32_t cluster) {
        constexpr std::uint32_t entry_bits = 0x0FFFFFFF, first_end = 0x0FFFFFF8;
        const FatBoot& boot = volume_.boot;
        const Bytes at =
            start_ + boot.fat_offset() + boot.fat_length() * boot.active_fat() + Bytes{4} * std::uint64_t{cluster};
        const auto raw = read("FAT", at, 4_B);
        if (!raw) return std::nullopt;
        const std::uint32_t next = load_le<std::uint32_t>(*raw, 0) & entry_bits;
        if (next >= first_end) return std::nullopt;
        if (next >= 2 && next - 2 < boot.cluster_count) return next;
        note(fmt::format("root directory: the FAT entry of cluster {} at byte {} is {:#x}", cluster, at.count, next));
        return std::nullopt;
    }

    static bool absent(std::uint16_t sector) { return sector == 0 || sector == 0xFFFF; }

    /// Compares the first entries of both FATs, except FAT[1]: some drivers set its flags only in the first copy.
    void compare_copy(Bytes first, Raw of_first) {
        const FatBoot& boot = volume_.boot;
        const Bytes at = first + boot.fat_length();
        const auto copy = read("FAT copy", at, Bytes{of_first.size()});
        if (!copy || std::ranges::equal(*copy, of_first)) return;
        const std::size_t flags = boot.bits == 12 ? 0 : boot.bits / 8;
        for (std::size_t i = 0; i < copy->size(); ++i)
            if ((*copy)[i] != of_first[i] && (flags == 0 || i < flags || i >= 2 * flags))
                return note(fmt::format("FAT copy at byte {} differs from the first FAT at its byte {}", at.count, i));
    }

    void count(Bytes at) {
        const FatBoot& boot = volume_.boot;
        if (boot.bits == 12) {
            // At most 4084 entries: read the whole FAT, because entries cross sector boundaries.
            const auto fat = read("FAT", at, std::min(boot.fat_length(), largest_fat12));
            if (fat) volume_.free_clusters = count_free_fat12(*fat, boot.cluster_count);
            return;
        }
        const Bytes width{boot.bits / 8u};
        const Bytes length = width * (std::uint64_t{boot.cluster_count} + 2);
        FatCount sum;
        for (Bytes done{}; done < length; done += piece_of_fat) {
            const auto piece = read("FAT", at + done, std::min(piece_of_fat, length - done));
            if (!piece) return;
            const FatCount of_piece = count_fat_entries(*piece, boot.bits);
            sum.free += of_piece.free;
            sum.bad += of_piece.bad;
        }
        // Entries 0 and 1 are never zero on a volume that parses, so only clusters are counted as free.
        volume_.free_clusters = sum.free;
        volume_.bad_clusters = sum.bad;
    }

    /// Reads a structure, or notes that it could not be read.
    Result<std::vector<std::byte>> read(const char* what, Bytes at, Bytes length) {
        auto raw = medium_.read(at, length);
        if (!raw) note(fmt::format("{}: {}", what, raw.error().detail));
        return raw;
    }
    void note(const std::string& problem) { add_problem(volume_.problem, problem); }

    const MediumReader& medium_;
    Bytes start_;
    FatVolume& volume_;
};

} // namespace

Result<FatVolume> read_fat(const MediumReader& medium, Bytes start, Bytes length) {
    const auto sector = medium.read(start, 512_B);
    if (!sector) return fail(sector.error());
    const auto boot = parse_fat_boot(*sector);
    if (!boot)
        return fail(Errc::bad_format, fmt::format("FAT boot sector at byte {}: {}", start.count, boot.error().detail));
    FatVolume volume{.boot = *boot};
    if (boot->volume_length() > length)
        volume.problem = fmt::format(
            "FAT boot sector at byte {}: BPB_TotSec: the volume of {} bytes is larger than its partition or medium of "
            "{} bytes",
            start.count, boot->volume_length().count, length.count);
    for (const std::string& defect : boot->defects)
        add_problem(volume.problem, fmt::format("FAT boot sector at byte {}: {}", start.count, defect));
    FatReading reading(medium, start, volume);
    reading.backup();
    reading.info();
    reading.fats();
    reading.root_chain();
    reading.label();
    return volume;
}

Listing listing_of(const FatVolume& volume, Bytes start) {
    const FatBoot& boot = volume.boot;
    Listing listing;
    listing.structure(start);
    listing.add("cluster_size", boot.cluster_size, {"BPB_SecPerClus", 0x0D, 1});
    listing.add("sector_size", boot.sector_size, {"BPB_BytsPerSec", 0x0B, 2});
    listing.add("volume_length", boot.volume_length(),
                boot.short_total ? Field{"BPB_TotSec16", 0x13, 2} : Field{"BPB_TotSec32", 0x20, 4});
    listing.add("hidden_sectors", boot.hidden_sectors, {"BPB_HiddSec", 0x1C, 4}, "sectors");
    listing.add("reserved_sectors", boot.reserved_sectors, {"BPB_RsvdSecCnt", 0x0E, 2}, "sectors");
    listing.add("fat_offset", boot.fat_offset(), {"BPB_RsvdSecCnt", 0x0E, 2});
    listing.add("fat_length", boot.fat_length(),
                boot.fat32_layout ? Field{"BPB_FATSz32", 0x24, 4} : Field{"BPB_FATSz16", 0x16, 2});
    listing.add("number_of_fats", boot.number_of_fats, {"BPB_NumFATs", 0x10, 1});
    listing.add_computed("data_offset", std::to_string(boot.data_offset().count), "B");
    listing.add_computed("cluster_count", std::to_string(boot.cluster_count), "clusters");
    listing.add("media", fmt::format("{:#04x}", boot.media), {"BPB_Media", 0x15, 1});
    listing.add("oem_name", boot.oem_name, {"BS_OEMName", 3, 8});
    listing.add("drive_number", fmt::format("{:#04x}", boot.drive_number),
                {"BS_DrvNum", boot.fat32_layout ? 0x40u : 0x24u, 1});
    listing.add_flag("dirty_in_boot_sector", boot.marked_dirty, {"BS_Reserved1", boot.fat32_layout ? 0x41u : 0x25u, 1});
    listing.add("boot_code", boot.boot_code_is_f4 ? "filled with f4" : "other",
                boot.fat32_layout ? Field{"BS_BootCode", 0x5A, 420} : Field{"BS_BootCode", 0x3E, 448});
    if (boot.serial) {
        listing.add("serial_number", fmt::format("{:04X}-{:04X}", *boot.serial >> 16, *boot.serial & 0xFFFF),
                    {"BS_VolID", boot.fat32_layout ? 0x43u : 0x27u, 4});
        listing.add("type_text", boot.type_text, {"BS_FilSysType", boot.fat32_layout ? 0x52u : 0x36u, 8});
        listing.add("label_in_boot_sector", boot.label, {"BS_VolLab", boot.fat32_layout ? 0x47u : 0x2Bu, 11});
    }
    if (boot.bits == 32) {
        listing.add("root_cluster", boot.root_cluster, {"BPB_RootClus", 0x2C, 4});
        listing.add("info_sector", boot.info_sector, {"BPB_FSInfo", 0x30, 2});
        listing.add("backup_sector", boot.backup_sector, {"BPB_BkBootSec", 0x32, 2});
        listing.add_flag("fats_mirrored", boot.mirrored(), {"BPB_ExtFlags", 0x28, 2});
    } else {
        listing.add("root_entries", boot.root_entries, {"BPB_RootEntCnt", 0x11, 2});
    }
    if (volume.free_clusters) listing.add_computed("free_clusters", std::to_string(*volume.free_clusters), "clusters");
    if (volume.bad_clusters) listing.add_computed("bad_clusters", std::to_string(*volume.bad_clusters), "clusters");
    if (volume.root_label) {
        listing.structure(start + volume.root_label_at);
        listing.add("label_in_root_directory", *volume.root_label, {"DIR_Name", 0, 11});
    }
    listing.structure(start + boot.sector_size * boot.info_sector);
    if (volume.info && volume.info->free_clusters)
        listing.add("free_clusters_hint", *volume.info->free_clusters, {"FSI_Free_Count", 0x1E8, 4}, "clusters");
    if (volume.info && volume.info->next_free)
        listing.add("next_free_hint", *volume.info->next_free, {"FSI_Nxt_Free", 0x1EC, 4});
    if (volume.head && boot.bits != 12) {
        const std::uint64_t width = boot.bits / 8u;
        listing.structure(start + boot.fat_offset() + boot.fat_length() * boot.active_fat());
        listing.add_flag("volume_dirty", !volume.head->clean, {"FAT[1]", width, width});
        listing.add_flag("hard_error", !volume.head->no_hard_error, {"FAT[1]", width, width});
    }
    return listing;
}

Parameters parameters_of(const FatVolume& volume) {
    return listing_of(volume, {}).parameters();
}

} // namespace mediarig::media

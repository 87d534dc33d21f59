// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/read_fat.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mediarig::media {
namespace {

constexpr Bytes largest_counted_fat = 16_MiB;
constexpr Bytes piece_of_fat = 1_MiB;
/// Enough of a root directory to meet its label, which formatters put first.
constexpr Bytes root_excerpt = 16_KiB;

/// The volume's own place on the medium, and the first thing found wrong.
class Reading {
public:
    Reading(const MediumReader& medium, Bytes start, FatVolume& volume)
        : medium_(medium), start_(start), volume_(volume) {}

    void backup() {
        const FatBoot& boot = volume_.boot;
        if (boot.bits != 32 || absent(boot.backup_sector)) return;
        const Bytes at = start_ + boot.sector_size * boot.backup_sector;
        const auto main = medium_.read(start_, 512_B);
        const auto copy = medium_.read(at, 512_B);
        if (!main || !copy) return note(main ? copy.error().detail : main.error().detail);
        // Drivers mark a mounted volume at 41h of the first sector alone.
        for (std::size_t i = 0; i < main->size(); ++i)
            if (i != 0x41 && (*main)[i] != (*copy)[i])
                return note(
                    fmt::format("backup boot sector at byte {} differs from the main one at its byte {}", at.count, i));
    }

    void info() {
        const FatBoot& boot = volume_.boot;
        if (boot.bits != 32 || absent(boot.info_sector)) return;
        const Bytes at = start_ + boot.sector_size * boot.info_sector;
        const auto raw = medium_.read(at, 512_B);
        if (!raw) return note(raw.error().detail);
        const auto parsed = parse_fat_info(*raw);
        if (!parsed) return note(fmt::format("FSInfo at byte {}: {}", at.count, parsed.error().detail));
        volume_.info = *parsed;
        if (parsed->free_clusters && *parsed->free_clusters > boot.cluster_count)
            note(fmt::format("FSInfo at byte {}: {} free clusters of {}", at.count, *parsed->free_clusters,
                             boot.cluster_count));
    }

    void fats() {
        const FatBoot& boot = volume_.boot;
        const Bytes at = start_ + boot.fat_offset();
        const auto raw = medium_.read(at, 512_B);
        if (!raw) return note(raw.error().detail);
        volume_.head = parse_fat_head(*raw, boot.bits);
        if (volume_.head->media != boot.media)
            note(fmt::format("FAT at byte {}: its media byte is {:#04x}, the boot sector's {:#04x}", at.count,
                             volume_.head->media, boot.media));
        if (boot.fat_length() > largest_counted_fat) return;
        count_free(at);
    }

    void label() {
        const FatBoot& boot = volume_.boot;
        const Bytes at = start_ + (boot.bits == 32 ? boot.data_offset() + boot.cluster_size * (boot.root_cluster - 2)
                                                   : boot.root_offset());
        const Bytes length = boot.bits == 32 ? boot.cluster_size : boot.data_offset() - boot.root_offset();
        const auto raw = medium_.read(at, std::min(length, root_excerpt));
        if (!raw) return note(raw.error().detail);
        volume_.root_label = fat_root_label(*raw);
    }

private:
    static bool absent(std::uint16_t sector) { return sector == 0 || sector == 0xFFFF; }

    void count_free(Bytes at) {
        const FatBoot& boot = volume_.boot;
        if (boot.bits == 12) {
            // At most 4084 entries: read whole, for entries straddle sectors.
            const auto fat = medium_.read(at, boot.fat_length());
            if (!fat) return note(fat.error().detail);
            volume_.free_clusters = count_free_fat12(*fat, boot.cluster_count);
            return;
        }
        const Bytes width{boot.bits / 8u};
        const Bytes length = width * (std::uint64_t{boot.cluster_count} + 2);
        std::uint64_t free = 0;
        for (Bytes done{}; done < length; done += piece_of_fat) {
            const auto piece = medium_.read(at + done, std::min(piece_of_fat, length - done));
            if (!piece) return note(piece.error().detail);
            free += count_free_fat_entries(*piece, boot.bits);
        }
        // Entries 0 and 1 are never zero on a volume that parses; what is counted are clusters.
        volume_.free_clusters = free;
    }

    void note(const std::string& problem) {
        if (volume_.problem.empty()) volume_.problem = problem;
    }
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
        volume.problem = fmt::format("the volume of {} bytes is larger than its place of {} bytes",
                                     boot->volume_length().count, length.count);
    Reading reading(medium, start, volume);
    reading.backup();
    reading.info();
    reading.fats();
    reading.label();
    return volume;
}

Parameters parameters_of(const FatVolume& volume) {
    const FatBoot& boot = volume.boot;
    const auto number = [](std::uint64_t value) { return std::to_string(value); };
    Parameters parameters{
        {"cluster_size", number(boot.cluster_size.count)},
        {"sector_size", number(boot.sector_size.count)},
        {"volume_length", number(boot.volume_length().count)},
        {"hidden_sectors", number(boot.hidden_sectors)},
        {"reserved_sectors", number(boot.reserved_sectors)},
        {"fat_offset", number(boot.fat_offset().count)},
        {"fat_length", number(boot.fat_length().count)},
        {"number_of_fats", number(boot.number_of_fats)},
        {"data_offset", number(boot.data_offset().count)},
        {"cluster_count", number(boot.cluster_count)},
        {"media", fmt::format("{:#04x}", boot.media)},
        {"oem_name", boot.oem_name},
        {"boot_code", boot.boot_code_is_f4 ? "filled with f4" : "other"},
    };
    if (boot.serial)
        parameters.emplace_back("serial_number",
                                fmt::format("{:04X}-{:04X}", *boot.serial >> 16, *boot.serial & 0xFFFF));
    if (boot.bits == 32)
        parameters.insert(parameters.end(), {{"root_cluster", number(boot.root_cluster)},
                                             {"info_sector", number(boot.info_sector)},
                                             {"backup_sector", number(boot.backup_sector)}});
    else
        parameters.emplace_back("root_entries", number(boot.root_entries));
    if (volume.free_clusters) parameters.emplace_back("free_clusters", number(*volume.free_clusters));
    if (volume.info && volume.info->free_clusters)
        parameters.emplace_back("free_clusters_hint", number(*volume.info->free_clusters));
    if (volume.head) {
        parameters.emplace_back("volume_dirty", volume.head->clean ? "no" : "yes");
        parameters.emplace_back("hard_error", volume.head->no_hard_error ? "no" : "yes");
    }
    return parameters;
}

} // namespace mediarig::media

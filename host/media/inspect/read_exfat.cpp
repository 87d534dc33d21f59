// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/read_exfat.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mediarig::media {
namespace {

/// Enough of a root directory for the entries that describe the volume; clusters go up to 32 MiB.
constexpr Bytes root_excerpt = 64_KiB;
constexpr Bytes bitmap_piece = 1_MiB;

/// The volume's own place on the medium, and the first thing found wrong.
class Reading {
public:
    Reading(const MediumReader& medium, Bytes start, ExfatVolume& volume)
        : medium_(medium), start_(start), volume_(volume) {}

    void boot_regions() {
        const Bytes length = volume_.boot.sector_size * exfat_region_sectors;
        const auto main = medium_.read(start_, length);
        if (!main) return note(main.error().detail);
        const std::size_t sector = volume_.boot.sector_size.count;
        volume_.oem_parameters = exfat_oem_parameters(Raw(*main).subspan(9 * sector, sector));
        if (const auto checked = check_exfat_region(*main, volume_.boot.sector_size))
            volume_.boot_checksum = *checked;
        else
            note(fmt::format("main boot region at byte {}: {}", start_.count, checked.error().detail));

        const auto backup = medium_.read(start_ + length, length);
        if (!backup) return note(backup.error().detail);
        if (const auto differs = first_backup_difference(*main, *backup))
            note(fmt::format("backup boot region at byte {} differs from the main one at its byte {}",
                             (start_ + length).count, differs->count));
    }

    void root_directory() {
        const Bytes at = start_ + volume_.boot.cluster_offset(volume_.boot.root_cluster);
        const auto entries = medium_.read(at, std::min(volume_.boot.cluster_size, root_excerpt));
        if (!entries) return note(entries.error().detail);
        const auto root = parse_exfat_root(*entries, volume_.boot);
        if (!root) return note(fmt::format("root directory at byte {}: {}", at.count, root.error().detail));
        volume_.root = *root;
    }

    void upcase_table() {
        if (!volume_.root) return;
        const Bytes at = start_ + volume_.boot.cluster_offset(volume_.root->upcase.first_cluster);
        const auto table = medium_.read(at, volume_.root->upcase.length);
        if (!table) return note(table.error().detail);
        if (const auto sum = exfat_table_checksum(*table); sum != volume_.root->upcase_checksum)
            note(fmt::format("up-case table at byte {}: checksum {:#010x}, {:#010x} expected", at.count, sum,
                             volume_.root->upcase_checksum));
    }

    void bitmap() {
        if (!volume_.root) return;
        const Bytes at = start_ + volume_.boot.cluster_offset(volume_.root->bitmap.first_cluster);
        const Bytes length{(std::uint64_t{volume_.boot.cluster_count} + 7) / 8};
        std::uint64_t free = 0;
        for (Bytes done{}; done < length; done += bitmap_piece) {
            const auto piece = medium_.read(at + done, std::min(bitmap_piece, length - done));
            if (!piece) return note(piece.error().detail);
            const std::uint64_t clusters_left = volume_.boot.cluster_count - done.count * 8;
            free += count_free_clusters(*piece, std::min<std::uint64_t>(clusters_left, piece->size() * 8));
        }
        volume_.free_clusters = free;
    }

private:
    void note(const std::string& problem) {
        if (volume_.problem.empty()) volume_.problem = problem;
    }
    const MediumReader& medium_;
    Bytes start_;
    ExfatVolume& volume_;
};

} // namespace

Result<ExfatVolume> read_exfat(const MediumReader& medium, Bytes start, Bytes length) {
    const auto sector = medium.read(start, 512_B);
    if (!sector) return fail(sector.error());
    const auto boot = parse_exfat_boot(*sector);
    if (!boot)
        return fail(Errc::bad_format,
                    fmt::format("exFAT boot sector at byte {}: {}", start.count, boot.error().detail));
    ExfatVolume volume{.boot = *boot};
    if (boot->volume_length > length)
        volume.problem = fmt::format("the volume of {} bytes is larger than its place of {} bytes",
                                     boot->volume_length.count, length.count);
    Reading reading(medium, start, volume);
    reading.boot_regions();
    reading.root_directory();
    reading.upcase_table();
    reading.bitmap();
    return volume;
}

Parameters parameters_of(const ExfatVolume& volume) {
    const ExfatBoot& boot = volume.boot;
    const auto number = [](std::uint64_t value) { return std::to_string(value); };
    const auto yes_no = [](bool value) { return std::string(value ? "yes" : "no"); };
    Parameters parameters{
        {"cluster_size", number(boot.cluster_size.count)},
        {"sector_size", number(boot.sector_size.count)},
        {"volume_length", number(boot.volume_length.count)},
        {"partition_offset", number(boot.partition_offset.count)},
        {"fat_offset", number(boot.fat_offset.count)},
        {"fat_length", number(boot.fat_length.count)},
        {"number_of_fats", number(boot.number_of_fats)},
        {"cluster_heap_offset", number(boot.heap_offset.count)},
        {"cluster_count", number(boot.cluster_count)},
        {"root_cluster", number(boot.root_cluster)},
        {"serial_number", fmt::format("{:04X}-{:04X}", boot.serial >> 16, boot.serial & 0xFFFF)},
        {"revision", fmt::format("{}.{:02}", boot.revision >> 8, boot.revision & 0xFF)},
        {"volume_dirty", yes_no(boot.dirty)},
        {"media_failure", yes_no(boot.media_failure)},
        {"oem_parameters", volume.oem_parameters},
        {"boot_code", boot.boot_code},
    };
    if (volume.boot_checksum) parameters.emplace_back("boot_checksum", fmt::format("{:#010x}", *volume.boot_checksum));
    if (volume.free_clusters) parameters.emplace_back("free_clusters", number(*volume.free_clusters));
    if (!volume.root) return parameters;
    const ExfatRoot& root = *volume.root;
    parameters.insert(parameters.end(), {{"bitmap_cluster", number(root.bitmap.first_cluster)},
                                         {"bitmap_length", number(root.bitmap.length.count)},
                                         {"upcase_cluster", number(root.upcase.first_cluster)},
                                         {"upcase_length", number(root.upcase.length.count)},
                                         {"upcase_checksum", fmt::format("{:#010x}", root.upcase_checksum)}});
    if (root.volume_guid) parameters.emplace_back("volume_guid", *root.volume_guid);
    return parameters;
}

} // namespace mediarig::media

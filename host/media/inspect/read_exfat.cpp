// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/read_exfat.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/media/inspect/problem.hpp"

namespace mediarig::media {
namespace {

/// Enough of a root directory for the entries that describe the volume; clusters go up to 32 MiB.
constexpr Bytes exfat_root_excerpt = 64_KiB;
constexpr Bytes piece_length = 1_MiB;
constexpr Bytes largest_scanned_fat = 8_MiB;

/// The volume's own place on the medium, and what is found wrong.
class ExfatReading {
public:
    ExfatReading(const MediumReader& medium, Bytes start, ExfatVolume& volume)
        : medium_(medium), start_(start), volume_(volume) {}

    void boot_regions() {
        if (!volume_.boot.jump_boot_valid) note(fmt::format("main boot sector at byte {}: JumpBoot", start_.count));
        const Bytes length = volume_.boot.sector_size * exfat_region_sectors;
        const auto main = read("main boot region", start_, length);
        if (!main) return;
        const std::size_t sector = volume_.boot.sector_size.count;
        const Raw oem = Raw(*main).subspan(9 * sector, sector);
        volume_.oem_parameters = exfat_oem_parameters(oem);
        volume_.flash = parse_exfat_flash(oem);
        if (const auto checked = check_exfat_region(*main, volume_.boot.sector_size))
            volume_.boot_checksum = *checked;
        else
            note(fmt::format("main boot region at byte {}: {}", start_.count, checked.error().detail));

        const auto backup = read("backup boot region", start_ + length, length);
        if (!backup) return;
        if (const auto differs = first_backup_difference(*main, *backup))
            note(fmt::format("backup boot region at byte {} differs from the main one at its byte {}{}",
                             (start_ + length).count, differs->count, named(*differs)));
    }

    void fat_head() {
        const Bytes at = start_ + volume_.boot.fat_entry_offset(0);
        const auto raw = read("FAT", at, 8_B);
        if (!raw) return;
        const std::array head{load_le<std::uint32_t>(*raw, 0), load_le<std::uint32_t>(*raw, 4)};
        volume_.fat_head = head;
        // Section 4.1: the media byte F8 with all bits above it set; the second entry has no meaning but a value.
        if (head[0] != exfat_first_entry)
            note(fmt::format("FAT at byte {}: FatEntry[0] is {:#010x}, {:#010x} expected", at.count, head[0],
                             exfat_first_entry));
        if (head[1] != exfat_end_of_chain)
            note(fmt::format("FAT at byte {}: FatEntry[1] is {:#010x}, {:#010x} expected", at.count, head[1],
                             exfat_end_of_chain));
    }

    void root_directory() {
        const Bytes at = start_ + volume_.boot.cluster_offset(volume_.boot.root_cluster);
        std::vector<std::byte> entries;
        const Bytes part = std::min(volume_.boot.cluster_size, exfat_root_excerpt);
        std::uint32_t cluster = volume_.boot.root_cluster;
        bool whole = true;
        while (entries.size() < exfat_root_excerpt.count) {
            const auto more = read("root directory", start_ + volume_.boot.cluster_offset(cluster), part);
            // What was read up to here may describe the volume all the same.
            whole = more.has_value();
            if (!whole) break;
            entries.insert(entries.end(), more->begin(), more->end());
            volume_.root_clusters.push_back(cluster);
            const auto next = entry_of(cluster);
            whole = next.has_value();
            if (!whole) break;
            const bool ends = *next == exfat_end_of_chain;
            if (!ends && !volume_.boot.holds_cluster(*next))
                note(fmt::format("root directory: FatEntry[{}] at byte {} is {:#010x}", cluster,
                                 (start_ + volume_.boot.fat_entry_offset(cluster)).count, *next));
            if (ends || !volume_.boot.holds_cluster(*next) || exfat_directory_ends(*more)) break;
            cluster = *next;
        }
        const auto root = parse_exfat_root(entries, volume_.boot);
        if (!root) {
            // What is missing may stand where nothing could be read, which has been told.
            if (whole) note(fmt::format("root directory at byte {}: {}", at.count, root.error().detail));
            return;
        }
        volume_.root = *root;
        if (!root->guid_checksum_valid)
            note(fmt::format("root directory at byte {}: SetChecksum of the volume GUID's entry",
                             (at + root->guid_entry).count));
        if (volume_.boot.number_of_fats == 2 && !root->second_bitmap)
            note(fmt::format("root directory at byte {}: NumberOfFats is 2, and there is one allocation bitmap",
                             at.count));
    }

    void upcase_table() {
        if (!volume_.root) return;
        const Bytes at = start_ + volume_.boot.cluster_offset(volume_.root->upcase.first_cluster);
        const auto table = read("up-case table", at, volume_.root->upcase.length);
        if (!table) return;
        if (const auto sum = exfat_table_checksum(*table); sum != volume_.root->upcase_checksum)
            note(fmt::format("up-case table at byte {}: its checksum is {:#010x}, TableChecksum {:#010x}", at.count,
                             sum, volume_.root->upcase_checksum));
    }

    void bitmap() {
        if (!volume_.root) return;
        const ExfatBoot& boot = volume_.boot;
        const bool second = boot.second_fat_active && volume_.root->second_bitmap &&
                            boot.holds_cluster(volume_.root->second_bitmap->first_cluster);
        const ExfatExtent& extent = second ? *volume_.root->second_bitmap : volume_.root->bitmap;
        const Bytes at = start_ + boot.cluster_offset(extent.first_cluster);
        const Bytes length{(std::uint64_t{boot.cluster_count} + 7) / 8};
        const std::array<Described, 3> described{Described{"root directory", boot.root_cluster},
                                                 Described{"allocation bitmap", extent.first_cluster},
                                                 Described{"up-case table", volume_.root->upcase.first_cluster}};
        if (!medium_.affords_to_count(length)) {
            for (const Described& one : described) {
                const auto byte = read("allocation bitmap", at + one.byte(), 1_B);
                if (byte) note_free(one, at, one.byte(), *byte);
            }
            return;
        }
        std::uint64_t free = 0;
        for (Bytes done{}; done < length; done += piece_length) {
            const auto piece = read("allocation bitmap", at + done, std::min(piece_length, length - done));
            if (!piece) return;
            const std::uint64_t clusters_left = boot.cluster_count - done.count * 8;
            free += count_free_clusters(*piece, std::min<std::uint64_t>(clusters_left, piece->size() * 8));
            for (const Described& one : described) note_free(one, at, done, *piece);
        }
        volume_.free_clusters = free;
    }

    void bad_clusters() {
        const ExfatBoot& boot = volume_.boot;
        const Bytes length{(std::uint64_t{boot.cluster_count} + 2) * 4};
        if (length > largest_scanned_fat || !medium_.affords_to_count(length)) return;
        const Bytes at = start_ + boot.fat_entry_offset(0);
        std::uint64_t bad = 0;
        for (Bytes done{}; done < length; done += piece_length) {
            const auto piece = read("FAT", at + done, std::min(piece_length, length - done));
            if (!piece) return;
            for (std::size_t i = 0; i < piece->size(); i += 4)
                bad += load_le<std::uint32_t>(*piece, i) == exfat_bad_cluster ? 1 : 0;
        }
        volume_.bad_clusters = bad;
    }

private:
    /// The field of the boot sector that stands there, for those that tools get wrong most.
    static std::string named(Bytes at) {
        static constexpr std::array fields{Field{"JumpBoot", 0, 3},
                                           Field{"FileSystemName", 3, 8},
                                           Field{"MustBeZero", 11, 53},
                                           Field{"PartitionOffset", 64, 8},
                                           Field{"VolumeLength", 72, 8},
                                           Field{"FatOffset", 80, 4},
                                           Field{"FatLength", 84, 4},
                                           Field{"ClusterHeapOffset", 88, 4},
                                           Field{"ClusterCount", 92, 4},
                                           Field{"FirstClusterOfRootDirectory", 96, 4},
                                           Field{"VolumeSerialNumber", 100, 4},
                                           Field{"FileSystemRevision", 104, 2},
                                           Field{"BytesPerSectorShift", 108, 1},
                                           Field{"SectorsPerClusterShift", 109, 1},
                                           Field{"NumberOfFats", 110, 1},
                                           Field{"DriveSelect", 111, 1},
                                           Field{"Reserved", 113, 7},
                                           Field{"BootCode", 120, 390},
                                           Field{"BootSignature", 510, 2}};
        for (const Field& field : fields)
            if (at.count >= field.at && at.count < field.at + field.length) return fmt::format(" ({})", field.name);
        return {};
    }

    std::optional<std::uint32_t> entry_of(std::uint32_t cluster) {
        const auto raw = read("FAT", start_ + volume_.boot.fat_entry_offset(cluster), 4_B);
        if (!raw) return std::nullopt;
        return load_le<std::uint32_t>(*raw, 0);
    }

    /// What describes the volume lies in clusters that must be taken.
    struct Described {
        const char* what;
        std::uint32_t cluster;
        [[nodiscard]] Bytes byte() const { return {(std::uint64_t{cluster} - 2) / 8}; } ///< of the bitmap
    };
    void note_free(const Described& described, Bytes bitmap, Bytes done, Raw piece) {
        const Bytes byte = described.byte();
        if (byte < done || byte >= done + Bytes{piece.size()}) return;
        if ((std::to_integer<unsigned>(piece[(byte - done).count]) >> ((described.cluster - 2) % 8) & 1u) == 0)
            note(fmt::format("allocation bitmap at byte {}: cluster {} of the {} is marked free", (bitmap + byte).count,
                             described.cluster, described.what));
    }

    /// A structure, or a note that it could not be read.
    Result<std::vector<std::byte>> read(const char* what, Bytes at, Bytes length) {
        auto raw = medium_.read(at, length);
        if (!raw) note(fmt::format("{}: {}", what, raw.error().detail));
        return raw;
    }
    void note(const std::string& problem) { add_problem(volume_.problem, problem); }

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
        volume.problem = fmt::format(
            "exFAT boot sector at byte {}: VolumeLength: the volume of {} bytes is larger than its place of {} bytes",
            start.count, boot->volume_length.count, length.count);
    ExfatReading reading(medium, start, volume);
    reading.boot_regions();
    reading.fat_head();
    reading.root_directory();
    reading.upcase_table();
    reading.bitmap();
    reading.bad_clusters();
    return volume;
}

} // namespace mediarig::media

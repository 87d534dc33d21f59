// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/read_exfat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::media {
namespace {

/// Part of a root directory that is enough for the entries that describe the volume; clusters can have up to 32 MiB.
constexpr Bytes exfat_root_excerpt = 64_KiB;
constexpr Bytes bitmap_piece = 1_MiB;
constexpr Bytes largest_scanned_fat = 8_MiB;

/// Position of the volume on the medium, and the problems found.
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
        // Section 4.1: FatEntry[0] is the media byte F8 with all higher bits set; FatEntry[1] has a fixed value without
        // meaning.
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
            // On a failed read, continue: the part read so far may still describe the volume.
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
            // A missing entry may be in an unreadable part, which has been reported already.
            if (whole) note(fmt::format("root directory at byte {}: {}", at.count, root.error().detail));
            return;
        }
        volume_.root = *root;
        for (const std::string& defect : root->defects)
            note(fmt::format("root directory at byte {}: {}", at.count, defect));
        if (!root->guid_checksum_valid)
            note(fmt::format("root directory at byte {}: SetChecksum of the volume GUID's entry",
                             (at + root->guid_entry).count));
        if (volume_.boot.number_of_fats == 2 && !root->second_bitmap)
            note(fmt::format("root directory at byte {}: NumberOfFats is 2, and there is one allocation bitmap",
                             at.count));
    }

    void upcase_table() {
        if (!volume_.root || !volume_.root->upcase) return;
        const Bytes at = start_ + volume_.boot.cluster_offset(volume_.root->upcase->first_cluster);
        const auto table = read("up-case table", at, volume_.root->upcase->length);
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
        std::vector<MetadataClusters> described{{"root directory", boot.root_cluster},
                                                {"allocation bitmap", extent.first_cluster}};
        if (volume_.root->upcase) described.push_back({"up-case table", volume_.root->upcase->first_cluster});
        if (!medium_.has_count_budget(length)) {
            for (const MetadataClusters& one : described) {
                const auto byte = read("allocation bitmap", at + one.byte(), 1_B);
                if (byte) note_free(one, at, one.byte(), *byte);
            }
            return;
        }
        std::uint64_t free = 0;
        std::vector<std::byte> bits;
        for (Bytes done{}; done < length; done += bitmap_piece) {
            const auto piece = read("allocation bitmap", at + done, std::min(bitmap_piece, length - done));
            if (!piece) return;
            const std::uint64_t clusters_left = boot.cluster_count - done.count * 8;
            free += count_free_clusters(*piece, std::min<std::uint64_t>(clusters_left, piece->size() * 8));
            for (const MetadataClusters& one : described) note_free(one, at, done, *piece);
            bits.insert(bits.end(), piece->begin(), piece->end());
        }
        volume_.free_clusters = free;
        compare_with_tree(bits, at);
    }

    void bad_clusters() {
        const ExfatBoot& boot = volume_.boot;
        const Bytes length{(std::uint64_t{boot.cluster_count} + 2) * 4};
        if (length > largest_scanned_fat || !medium_.has_count_budget(length)) return;
        const Bytes at = start_ + boot.fat_entry_offset(0);
        std::uint64_t bad = 0;
        for (Bytes done{}; done < length; done += bitmap_piece) {
            const auto piece = read("FAT", at + done, std::min(bitmap_piece, length - done));
            if (!piece) return;
            for (std::size_t i = 0; i < piece->size(); i += 4)
                bad += load_le<std::uint32_t>(*piece, i) == exfat_bad_cluster ? 1 : 0;
        }
        volume_.bad_clusters = bad;
    }

private:
    /// Name of the boot sector field at this offset, for the fields that tools most often get wrong.
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

    /// Compares the bitmap with the clusters of all files and folders.
    void compare_with_tree(Raw bits, Bytes bitmap) {
        const ExfatTree tree = compare_exfat_tree(medium_, start_, volume_.boot, *volume_.root, bits);
        volume_.tree = tree;
        const auto text_of = [&](const ExfatClusters& found, const char* what) {
            return found.count == 0 ? std::string()
                                    : fmt::format("allocation bitmap at byte {}: {}: {}, the first is cluster {}",
                                                  bitmap.count, what, found.count, found.first);
        };
        note(text_of(tree.freed, "clusters in use that are marked free"));
        note(text_of(tree.shared, "clusters that several files or folders own"));
        volume_.leaks = text_of(tree.leaked, "clusters marked used that no file or folder owns");
        for (const std::string& defect : tree.defects) note("files and folders: " + defect);
        if (tree.damaged_sets > 0)
            note(
                fmt::format("files and folders: entry sets that are incomplete or have a wrong SetChecksum: {}, the "
                            "first is at byte {}",
                            tree.damaged_sets, tree.first_damaged_set.count));
    }

    /// Clusters of the structures that describe the volume; they must be marked as used.
    struct MetadataClusters {
        const char* what;
        std::uint32_t cluster;
        [[nodiscard]] Bytes byte() const {
            return {(std::uint64_t{cluster} - 2) / 8};
        } ///< offset of the cluster's bit in the bitmap, in bytes
    };
    void note_free(const MetadataClusters& described, Bytes bitmap, Bytes done, Raw piece) {
        const Bytes byte = described.byte();
        if (byte < done || byte >= done + Bytes{piece.size()}) return;
        if ((std::to_integer<unsigned>(piece[(byte - done).count]) >> ((described.cluster - 2) % 8) & 1u) == 0)
            note(fmt::format("allocation bitmap at byte {}: cluster {} of the {} is marked free", (bitmap + byte).count,
                             described.cluster, described.what));
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
            "exFAT boot sector at byte {}: VolumeLength: the volume of {} bytes is larger than its partition or medium "
            "of {} bytes",
            start.count, boot->volume_length.count, length.count);
    for (const std::string& defect : boot->defects)
        add_problem(volume.problem, fmt::format("exFAT boot sector at byte {}: {}", start.count, defect));
    ExfatReading reading(medium, start, volume);
    reading.boot_regions();
    reading.fat_head();
    reading.root_directory();
    reading.upcase_table();
    reading.bitmap();
    reading.bad_clusters();
    return volume;
}

namespace {

void list_flash(const ExfatFlash& flash, Listing& listing) {
    const auto time = [&](const char* name, std::chrono::nanoseconds value, const Field& field) {
        listing.add(name, static_cast<std::uint64_t>(value.count()), field, "ns");
    };
    listing.add("flash_erase_block", flash.erase_block, {"EraseBlockSize", 16, 4});
    listing.add("flash_page", flash.page, {"PageSize", 20, 4});
    listing.add("flash_spare_sectors", flash.spare_sectors, {"SpareSectors", 24, 4}, "sectors");
    time("flash_random_access", flash.random_access, {"RandomAccessTime", 28, 4});
    time("flash_programming", flash.programming, {"ProgrammingTime", 32, 4});
    time("flash_read_cycle", flash.read_cycle, {"ReadCycle", 36, 4});
    time("flash_write_cycle", flash.write_cycle, {"WriteCycle", 40, 4});
}

void list_root(const ExfatVolume& volume, Bytes start, Listing& listing) {
    const ExfatRoot& root = *volume.root;
    // Entries after the first cluster are in the next clusters of the directory.
    const auto place_of = [&](Bytes entry) {
        const std::uint32_t cluster = volume.root_clusters.at(entry / volume.boot.cluster_size);
        return start + volume.boot.cluster_offset(cluster) + entry % volume.boot.cluster_size;
    };
    listing.structure(place_of(root.bitmap_entry));
    listing.add("bitmap_cluster", root.bitmap.first_cluster, {"FirstCluster of 81h", 20, 4});
    listing.add("bitmap_length", root.bitmap.length, {"DataLength of 81h", 24, 8});
    if (root.upcase) {
        listing.structure(place_of(root.upcase_entry));
        listing.add("upcase_cluster", root.upcase->first_cluster, {"FirstCluster of 82h", 20, 4});
        listing.add("upcase_length", root.upcase->length, {"DataLength of 82h", 24, 8});
        listing.add("upcase_checksum", fmt::format("{:#010x}", root.upcase_checksum), {"TableChecksum of 82h", 4, 4});
    }
    if (root.volume_guid) {
        listing.structure(place_of(root.guid_entry));
        listing.add("volume_guid", *root.volume_guid, {"VolumeGuid of A0h", 6, 16});
    }
}

} // namespace

Listing listing_of(const ExfatVolume& volume, Bytes start) {
    const ExfatBoot& boot = volume.boot;
    const std::uint64_t sector = boot.sector_size.count;
    Listing listing;
    listing.structure(start);
    listing.add("cluster_size", boot.cluster_size, {"SectorsPerClusterShift", 0x6D, 1});
    listing.add("sector_size", boot.sector_size, {"BytesPerSectorShift", 0x6C, 1});
    listing.add("volume_length", boot.volume_length, {"VolumeLength", 0x48, 8});
    listing.add("partition_offset", boot.partition_offset, {"PartitionOffset", 0x40, 8});
    listing.add("fat_offset", boot.fat_offset, {"FatOffset", 0x50, 4});
    listing.add("fat_length", boot.fat_length, {"FatLength", 0x54, 4});
    listing.add("number_of_fats", boot.number_of_fats, {"NumberOfFats", 0x6E, 1});
    if (boot.number_of_fats == 2)
        listing.add_computed("second_fat_offset", std::to_string((boot.fat_offset + boot.fat_length).count), "B");
    listing.add("cluster_heap_offset", boot.heap_offset, {"ClusterHeapOffset", 0x58, 4});
    listing.add("cluster_count", boot.cluster_count, {"ClusterCount", 0x5C, 4}, "clusters");
    listing.add("root_cluster", boot.root_cluster, {"FirstClusterOfRootDirectory", 0x60, 4});
    listing.add("serial_number", fmt::format("{:04X}-{:04X}", boot.serial >> 16, boot.serial & 0xFFFF),
                {"VolumeSerialNumber", 0x64, 4});
    listing.add("revision", fmt::format("{}.{:02}", boot.revision >> 8, boot.revision & 0xFF),
                {"FileSystemRevision", 0x68, 2});
    listing.add("volume_flags", fmt::format("{:#06x}", boot.volume_flags), {"VolumeFlags", 0x6A, 2});
    listing.add_flag("volume_dirty", boot.dirty, {"VolumeFlags", 0x6A, 2});
    listing.add_flag("media_failure", boot.media_failure, {"VolumeFlags", 0x6A, 2});
    listing.add("drive_select", fmt::format("{:#04x}", boot.drive_select), {"DriveSelect", 0x6F, 1});
    listing.add("percent_in_use", boot.percent_in_use == 0xFF ? "unknown" : std::to_string(boot.percent_in_use),
                {"PercentInUse", 0x70, 1}, "%");
    listing.add("boot_code", boot.boot_code, {"BootCode", 0x78, 390});
    listing.structure(start + boot.sector_size * 9);
    if (!volume.oem_parameters.empty())
        listing.add("oem_parameters", volume.oem_parameters, {"OEM Parameters", 0, sector});
    if (volume.flash) {
        listing.structure(start + boot.sector_size * 9 + volume.flash->record);
        list_flash(*volume.flash, listing);
    }
    listing.structure(start + boot.sector_size * 11);
    if (volume.boot_checksum)
        listing.add("boot_checksum", fmt::format("{:#010x}", *volume.boot_checksum), {"Boot Checksum", 0, 4});
    listing.structure(start + boot.fat_entry_offset(0));
    if (volume.fat_head) {
        listing.add("fat_entry_0", fmt::format("{:#010x}", volume.fat_head->at(0)), {"FatEntry[0]", 0, 4});
        listing.add("fat_entry_1", fmt::format("{:#010x}", volume.fat_head->at(1)), {"FatEntry[1]", 4, 4});
    }
    if (volume.free_clusters) {
        listing.add_computed("free_clusters", std::to_string(*volume.free_clusters), "clusters");
        listing.add_computed("used_clusters", std::to_string(boot.cluster_count - *volume.free_clusters), "clusters");
    }
    if (volume.tree && volume.tree->complete) {
        listing.add_computed("leaked_clusters", std::to_string(volume.tree->leaked.count), "clusters");
        listing.add_computed("freed_clusters", std::to_string(volume.tree->freed.count), "clusters");
        listing.add_computed("shared_clusters", std::to_string(volume.tree->shared.count), "clusters");
    }
    if (volume.bad_clusters) listing.add_computed("bad_clusters", std::to_string(*volume.bad_clusters), "clusters");
    if (volume.root) list_root(volume, start, listing);
    return listing;
}

Parameters parameters_of(const ExfatVolume& volume) {
    return listing_of(volume, {}).parameters();
}

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/stale_signatures.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "host/media/format_options.hpp"
#include "host/media/inspect/apfs.hpp"
#include "host/media/inspect/exfat.hpp"
#include "host/media/inspect/hfsplus.hpp"
#include "host/media/inspect/partition_table.hpp"
#include "host/media/inspect/recognise.hpp"
#include "host/media/inspect/signature.hpp"
#include "host/media/inspect/superblock_copies.hpp"

namespace mediarig::media {
namespace {

/// Usual starts of the first volume, in sectors of 512 bytes: no table, first usable sector of a Mac's GPT, MS-DOS, 1
/// MiB, SDHC, SDXC by capacity, and the two starts of macOS after its EFI partition.
constexpr std::array<std::uint64_t, 11> usual_starts{0, 2, 40, 63, 2048, 8192, 32768, 65536, 131072, 409640, 411648};
constexpr Bytes counted_in{512};

/// Backup boot sectors, counted from the start of their volume.
constexpr std::uint64_t exfat_backup_sector = 12, fat32_backup_sector = 6;

/// Contents recognised only by their signature; reported at the start of the structure that contains the signature.
struct Signed {
    std::string_view file_system, what;
    Bytes structure_unit; ///< alignment of the structure in the volume
    std::string_view family;
};
constexpr std::array signed_structures{
    Signed{"luks", "LUKS header", 512_B, "luks"},
    Signed{"bitlocker", "BitLocker boot sector", 512_B, "bitlocker"},
    Signed{"core_storage", "Core Storage header", 512_B, "core_storage"},
    Signed{"refs", "ReFS boot sector", 512_B, "refs"},
    Signed{"xfs", "XFS superblock", 512_B, "xfs"},
    Signed{"f2fs", "F2FS superblock", 512_B, "f2fs"},
    Signed{"lvm", "LVM label", 512_B, "lvm"},
    Signed{"swap", "swap header", 64_KiB, "swap"},
    Signed{"btrfs", "btrfs superblock", 4_KiB, "btrfs"},
    Signed{"ext2", "ext superblock", 1_KiB, "ext"},
    Signed{"ext3", "ext superblock", 1_KiB, "ext"},
    Signed{"ext4", "ext superblock", 1_KiB, "ext"},
    // A disc with both file systems is reported as UDF.
    Signed{"iso9660", "ISO 9660 descriptor", 2_KiB, "optical"},
    Signed{"udf", "UDF descriptor", 2_KiB, "optical"},
    Signed{"md_raid", "MD RAID superblock", 4_KiB, "md_raid"},
    Signed{"hfs", "HFS volume header", 512_B, "hfs"},
    Signed{"hfs_wrapper", "HFS volume header", 512_B, "hfs"},
    Signed{"apple_partition_map", "Apple partition map", 512_B, "apple_partition_map"},
};

/// All names of one family of volumes.
std::set<std::string> relatives_of(std::string_view family) {
    std::set<std::string> names;
    for (const Signed& known : signed_structures)
        if (known.family == family) names.emplace(known.file_system);
    return names;
}

class Search {
public:
    Search(const MediumReader& medium, Bytes sector, const std::string& scheme, const std::vector<KnownVolume>& volumes)
        : medium_(medium), sector_(sector), scheme_(scheme), volumes_(volumes) {}

    void at_start_of_a_volume(Bytes at) {
        const auto raw = medium_.read(at, 4_KiB);
        if (!raw) return;
        const Raw head(*raw);
        if (is_exfat(head)) note("exFAT boot sector", at, is_named(at, {"exfat"}));
        if (is_apfs(head)) note("APFS container superblock", at, is_named(at, {"apfs"}));
        if (is_hfs_plus(head.subspan(hfs_plus_header_offset.count)))
            note("HFS+ volume header", at + hfs_plus_header_offset, is_named(at, {"hfs+", "hfs+j", "hfsx", "hfsx+j"}));
        if (const std::string boot = recognise_boot_sector(head); !boot.empty())
            note(boot == "ntfs" ? "NTFS boot sector" : "FAT boot sector", at, is_named(at, {boot, "bitlocker"}));
        other_signatures(at, head);
    }

    /// Tries two sector sizes, because the sector size of the volume may differ from that of the medium.
    void exfat_backup(Bytes start) {
        for (const Bytes sector : {512_B, 4_KiB}) {
            const Bytes at = start + sector * exfat_backup_sector;
            const auto raw = medium_.read(at, 512_B);
            if (raw && is_exfat(*raw)) note("backup exFAT boot sector", at, is_named(start, {"exfat"}));
        }
    }

    void fat32_backup(Bytes start) {
        const Bytes at = start + sector_ * fat32_backup_sector;
        const auto raw = medium_.read(at, 512_B);
        if (!raw || is_exfat(*raw)) return;
        if (const std::string boot = recognise_boot_sector(*raw); is_fat(boot))
            note("backup FAT boot sector", at, is_named(start, {boot}));
    }

    void far_copies(Bytes start) {
        for (const SuperblockCopy& copy : superblock_copies()) {
            const Bytes at = start + copy.at;
            if (at + copy.length > medium_.size()) break;
            const auto raw = medium_.read(at, copy.length);
            if (raw && copy.holds(*raw))
                note(std::string(copy.what), at, is_named(start, relatives_of(copy.file_system)));
        }
    }

    /// Searches for RAID superblocks before the end of a volume, and for a copy of the NTFS boot sector in its last
    /// sector.
    void at_end_of_a_volume(Bytes end) {
        if (end < 4_KiB) return;
        const auto named = [&](const std::string& file_system) {
            return std::ranges::any_of(volumes_, [&](const KnownVolume& volume) {
                return volume.file_system == file_system && volume.start + volume.length == end;
            });
        };
        const auto look = [&](Bytes at, bool (*holds)(Raw)) {
            if (at == 0_B) return;
            const auto raw = medium_.read(at, 8_B);
            if (raw && holds(*raw)) note("MD RAID superblock", at, named("md_raid"));
        };
        look(md_superblock_before(end), is_md_superblock);
        look(old_md_superblock_before(end), is_old_md_superblock);
        const Bytes last = end - sector_;
        const auto raw = medium_.read(last, 512_B);
        if (raw && recognise_boot_sector(*raw) == "ntfs") note("backup NTFS boot sector", last, named("ntfs"));
    }

    void alternate_hfs_header(Bytes end_of_volume) {
        if (end_of_volume < 4_KiB) return;
        const Bytes at = end_of_volume - hfs_plus_header_offset;
        const auto raw = medium_.read(at, 512_B);
        if (!raw || !is_hfs_plus(*raw)) return;
        const bool explained = std::ranges::any_of(volumes_, [&](const KnownVolume& volume) {
            return is_hfs(volume.file_system) && volume.start + volume.length == end_of_volume;
        });
        note("alternate HFS+ volume header", at, explained);
    }

    void gpt() {
        const Bytes last = align_down(medium_.size(), sector_) - sector_;
        for (const Bytes at : {sector_, last}) {
            const auto raw = medium_.read(at, 512_B);
            if (raw && is_gpt(*raw)) note(at == last ? "backup GPT header" : "GPT header", at, scheme_ == "gpt");
        }
    }

    [[nodiscard]] std::vector<StaleSignature> found() const {
        std::vector<StaleSignature> sorted;
        for (const auto& [place, stale] : found_) sorted.push_back(stale);
        return sorted;
    }

private:
    void other_signatures(Bytes at, Raw head) {
        std::ranges::copy(head, excerpt_.begin());
        for (const Bytes place : signature_places()) {
            const auto piece = medium_.read(at + place, signature_place_length);
            const auto into = excerpt_.begin() + static_cast<std::ptrdiff_t>(place.count);
            if (piece)
                std::ranges::copy(*piece, into);
            else
                std::fill_n(into, signature_place_length.count, std::byte{});
        }
        for (const ContentSignature& signature : recognise_signatures(excerpt_)) {
            const auto known =
                std::ranges::find(signed_structures, std::string_view(signature.file_system), &Signed::file_system);
            if (known == signed_structures.end()) continue;
            const bool in_use = known->file_system == "apple_partition_map" && at == 0_B && scheme_ == "apm";
            const Bytes structure = at + align_down(signature.at, known->structure_unit);
            note(std::string(known->what), structure,
                 in_use || is_named(at, relatives_of(known->family)) ||
                     (known->family == "optical" && is_descriptor_in_use(structure)));
        }
    }

    /// True if a volume in use begins at this offset and is one of `file_systems`.
    [[nodiscard]] bool is_named(Bytes start, const std::set<std::string>& file_systems) const {
        return std::ranges::any_of(volumes_, [&](const KnownVolume& volume) {
            return volume.start == start && file_systems.contains(volume.file_system);
        });
    }
    /// A disc has a descriptor in each of the first places, so those of a volume in use also fit other starts.
    [[nodiscard]] bool is_descriptor_in_use(Bytes at) const {
        const std::set<std::string> optical = relatives_of("optical");
        return std::ranges::any_of(volumes_, [&](const KnownVolume& volume) {
            const Bytes first = volume.start + optical_descriptors;
            return optical.contains(volume.file_system) && at >= first &&
                   at < first + optical_descriptor * most_optical_descriptors;
        });
    }
    void note(const std::string& what, Bytes at, bool explained) {
        if (explained) return;
        const bool inside = std::ranges::any_of(volumes_, [&](const KnownVolume& volume) {
            return !volume.file_system.empty() && at >= volume.start && at < volume.start + volume.length;
        });
        found_.emplace(std::pair{at, what}, StaleSignature{.what = what, .at = at, .in_volume = inside});
    }

    const MediumReader& medium_;
    std::vector<std::byte> excerpt_ = std::vector<std::byte>(signature_excerpt.count); ///< unread parts: zeros
    Bytes sector_;
    const std::string& scheme_;
    const std::vector<KnownVolume>& volumes_;
    std::map<std::pair<Bytes, std::string>, StaleSignature> found_;
};

} // namespace

std::vector<Bytes> usual_volume_starts() {
    std::vector<Bytes> starts;
    starts.reserve(usual_starts.size());
    for (const std::uint64_t start : usual_starts) starts.push_back(counted_in * start);
    return starts;
}

std::vector<StaleSignature> find_stale_signatures(const MediumReader& medium, Bytes sector, const std::string& scheme,
                                                  const std::vector<KnownVolume>& volumes) {
    Search search(medium, sector, scheme, volumes);
    const std::vector<Bytes> usual = usual_volume_starts();
    std::set<Bytes> starts(usual.begin(), usual.end()), ends{medium.size()};
    for (const KnownVolume& volume : volumes) {
        starts.insert(volume.start);
        ends.insert(volume.start + volume.length);
    }
    for (const Bytes start : starts) {
        search.at_start_of_a_volume(start);
        search.exfat_backup(start);
        search.fat32_backup(start);
        search.far_copies(start);
    }
    for (const Bytes end : ends) {
        search.alternate_hfs_header(end);
        search.at_end_of_a_volume(end);
    }
    search.gpt();
    return search.found();
}

} // namespace mediarig::media

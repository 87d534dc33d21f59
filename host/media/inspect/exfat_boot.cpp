// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "host/media/inspect/exfat.hpp"

namespace mediarig::media {
namespace {

constexpr std::size_t volume_flags_at = 106;
constexpr std::size_t percent_in_use_at = 112;
constexpr std::uint8_t percent_unknown = 0xFF;
constexpr std::string_view flash_guid = "0a0c7e46-3399-4021-90c8-fa6d389c4ba2";
/// Section 3.3: ten records of 48 bytes that start with a GUID; a null GUID marks an unused record.
constexpr std::size_t oem_record = 48, oem_records = 480;

/// Larger offsets and lengths are invalid, and would overflow when converted to bytes.
constexpr std::uint64_t most_sectors = 1ULL << 51;

/// Checks the fields for contradictions. Fails with the name of a field without which no driver finds the structures.
Result<void> check_layout(const ExfatBoot& boot) {
    const Bytes entries{(std::uint64_t{boot.cluster_count} + 2) * 4};
    if (boot.fat_offset == 0_B) return fail(Errc::bad_format, "FatOffset");
    if (boot.fat_length < entries) return fail(Errc::bad_format, "FatLength");
    if (boot.heap_offset < boot.fat_offset + boot.fat_length * boot.number_of_fats)
        return fail(Errc::bad_format, "ClusterHeapOffset");
    if (boot.cluster_count == 0 || boot.cluster_count > 0xFFFFFFF5) return fail(Errc::bad_format, "ClusterCount");
    if (!boot.holds_cluster(boot.root_cluster)) return fail(Errc::bad_format, "FirstClusterOfRootDirectory");
    return {};
}

/// Notes the fields outside the specification that drivers do not read, or without which they continue.
void note_defects(Raw raw, ExfatBoot& boot) {
    const auto note = [&boot](std::string text) { boot.defects.push_back(std::move(text)); };
    const Bytes sector = boot.sector_size;
    if (const auto offset = load_le<std::uint64_t>(raw, 64); offset > most_sectors) {
        note(fmt::format("PartitionOffset is {} sectors, at most {} expected", offset, most_sectors));
        boot.partition_offset = {};
    }
    if (const auto length = load_le<std::uint64_t>(raw, 72); length > most_sectors) {
        note(fmt::format("VolumeLength is {} sectors, at most {} expected", length, most_sectors));
        boot.volume_length = boot.heap_end();
    } else if (sector * length < 1_MiB) {
        note(fmt::format("VolumeLength is {} sectors, at least {} expected", length, 1_MiB / sector));
    }
    if (boot.heap_offset >= boot.volume_length)
        note(fmt::format("ClusterHeapOffset is {} sectors, VolumeLength {}", boot.heap_offset / sector,
                         boot.volume_length / sector));
    else if (boot.heap_end() > boot.volume_length)
        note(fmt::format("ClusterCount is {}, at most {} expected by VolumeLength", boot.cluster_count,
                         (boot.volume_length - boot.heap_offset) / boot.cluster_size));
    // Section 3.1.7: the two boot regions occupy 24 sectors.
    if (boot.fat_offset < sector * 24)
        note(fmt::format("FatOffset is {} sectors, at least 24 expected", boot.fat_offset / sector));
    // Section 3.1.10: an implementation refuses a major revision that it does not know.
    if (boot.revision >> 8 != 1 || (boot.revision & 0xFF) > 99)
        note(fmt::format("FileSystemRevision is {:#06x}, 0x0100 expected", boot.revision));
    if (boot.percent_in_use > 100 && boot.percent_in_use != percent_unknown)
        note(fmt::format("PercentInUse is {}, 0 to 100 or 255 expected", boot.percent_in_use));
    if (boot.second_fat_active && boot.number_of_fats != 2) {
        note(fmt::format("ActiveFat of VolumeFlags selects the second FAT, but NumberOfFats is {}",
                         boot.number_of_fats));
        boot.second_fat_active = false;
    }
}

std::string boot_code_of(Raw code) {
    if (all_equal(code, std::byte{0xF4})) return "f4";
    if (all_equal(code, std::byte{0x00})) return "00";
    return load_be<std::uint32_t>(code, 0) == 0x33C98ED1 ? "windows" : "other";
}

} // namespace

bool is_exfat(Raw boot_sector) {
    return boot_sector.size() >= 512 && std::memcmp(boot_sector.data() + 3, "EXFAT   ", 8) == 0;
}

Result<ExfatBoot> parse_exfat_boot(Raw raw) {
    if (!is_exfat(raw)) return fail(Errc::bad_format, "FileSystemName");
    if (load_le<std::uint16_t>(raw, 510) != 0xAA55) return fail(Errc::bad_format, "BootSignature");
    if (!all_equal(raw.subspan(11, 53), std::byte{0})) return fail(Errc::bad_format, "MustBeZero");

    const auto sector_shift = load_le<std::uint8_t>(raw, 108);
    if (sector_shift < 9 || sector_shift > 12) return fail(Errc::bad_format, "BytesPerSectorShift");
    // The specification limits a cluster to 32 MiB = 2^25 bytes.
    const auto cluster_shift = load_le<std::uint8_t>(raw, 109);
    if (cluster_shift > 25 - sector_shift) return fail(Errc::bad_format, "SectorsPerClusterShift");
    const auto fats = load_le<std::uint8_t>(raw, 110);
    if (fats != 1 && fats != 2) return fail(Errc::bad_format, "NumberOfFats");

    const Bytes sector{1ULL << sector_shift};
    const auto flags = load_le<std::uint16_t>(raw, volume_flags_at);
    ExfatBoot boot{.sector_size = sector,
                   .cluster_size = {1ULL << (sector_shift + cluster_shift)},
                   .partition_offset = sector * load_le<std::uint64_t>(raw, 64),
                   .volume_length = sector * load_le<std::uint64_t>(raw, 72),
                   .fat_offset = sector * load_le<std::uint32_t>(raw, 80),
                   .fat_length = sector * load_le<std::uint32_t>(raw, 84),
                   .heap_offset = sector * load_le<std::uint32_t>(raw, 88),
                   .cluster_count = load_le<std::uint32_t>(raw, 92),
                   .root_cluster = load_le<std::uint32_t>(raw, 96),
                   .serial = load_le<std::uint32_t>(raw, 100),
                   .revision = load_le<std::uint16_t>(raw, 104),
                   .number_of_fats = fats,
                   .percent_in_use = load_le<std::uint8_t>(raw, percent_in_use_at),
                   .dirty = (flags & 2) != 0,
                   .media_failure = (flags & 4) != 0,
                   .second_fat_active = (flags & 1) != 0,
                   .volume_flags = flags,
                   .drive_select = load_le<std::uint8_t>(raw, 111),
                   .jump_boot_valid = load_be<std::uint32_t>(raw, 0) >> 8 == 0xEB7690,
                   .boot_code = boot_code_of(raw.subspan(0x78, 390))};
    if (const auto layout = check_layout(boot); !layout) return fail(layout.error());
    note_defects(raw, boot);
    return boot;
}

Result<std::uint32_t> check_exfat_region(Raw region, Bytes sector_size) {
    const std::size_t sector = sector_size.count;
    if (region.size() != sector * exfat_region_sectors)
        return fail(Errc::bad_format, fmt::format("boot region of {} bytes", region.size()));
    for (std::size_t i = 1; i <= 8; ++i)
        if (load_le<std::uint32_t>(region, (i + 1) * sector - 4) != 0xAA550000)
            return fail(Errc::bad_format, fmt::format("ExtendedBootSignature of sector {}", i));
    const std::uint32_t computed = exfat_boot_checksum(region.first(11 * sector));
    for (std::size_t at = 11 * sector; at < region.size(); at += 4)
        if (const auto stored = load_le<std::uint32_t>(region, at); stored != computed)
            return fail(Errc::bad_format,
                        fmt::format("BootChecksum: {:#010x} stored at byte {} of the region, {:#010x} "
                                    "computed",
                                    stored, at, computed));
    return computed;
}

std::optional<Bytes> first_backup_difference(Raw main_region, Raw backup_region) {
    const std::size_t common = std::min(main_region.size(), backup_region.size());
    if (main_region.size() == backup_region.size() &&
        std::memcmp(main_region.data(), backup_region.data(), common) == 0)
        return std::nullopt;
    // Section 3.2: flags and percentage may be outdated in the backup region.
    constexpr std::size_t behind_flags = volume_flags_at + 2, behind_percent = percent_in_use_at + 1;
    for (const auto& [from, to] : {std::pair{std::size_t{0}, volume_flags_at},
                                   std::pair{behind_flags, percent_in_use_at}, std::pair{behind_percent, common}}) {
        if (from >= common) break;
        const Raw main = main_region.subspan(from, std::min(to, common) - from);
        const auto differs = std::ranges::mismatch(main, backup_region.subspan(from, main.size())).in1 - main.begin();
        if (static_cast<std::size_t>(differs) < main.size()) return Bytes{from + static_cast<std::size_t>(differs)};
    }
    if (main_region.size() != backup_region.size()) return Bytes{common};
    return std::nullopt;
}

std::string exfat_oem_parameters(Raw oem_sector) {
    if (all_equal(oem_sector, std::byte{0xFF})) return "filled with ff";
    for (std::size_t at = 0; at + oem_record <= oem_sector.size() && at < oem_records; at += oem_record) {
        const Raw guid = oem_sector.subspan(at, 16);
        if (all_equal(guid, std::byte{0})) continue;
        return guid_text(guid) == flash_guid ? "flash" : "unknown";
    }
    return "none";
}

std::optional<ExfatFlash> parse_exfat_flash(Raw oem_sector) {
    for (std::size_t at = 0; at + oem_record <= oem_sector.size() && at < oem_records; at += oem_record) {
        if (guid_text(oem_sector.subspan(at, 16)) != flash_guid) continue;
        const auto value = [&](std::size_t field) { return load_le<std::uint32_t>(oem_sector, at + field); };
        const auto time = [&](std::size_t field) { return std::chrono::nanoseconds(value(field)); };
        return ExfatFlash{.record = {at},
                          .erase_block = {value(16)},
                          .page = {value(20)},
                          .spare_sectors = value(24),
                          .random_access = time(28),
                          .programming = time(32),
                          .read_cycle = time(36),
                          .write_cycle = time(40)};
    }
    return std::nullopt;
}

namespace {

constexpr std::size_t entry_size = 32;

ExfatExtent extent_of(Raw entry) {
    return {.first_cluster = load_le<std::uint32_t>(entry, 20), .length = {load_le<std::uint64_t>(entry, 24)}};
}

/// True if the extent is inside the cluster heap, on the assumption that it is contiguous.
bool fits(const ExfatExtent& extent, const ExfatBoot& boot) {
    if (!boot.holds_cluster(extent.first_cluster) || extent.length.count == 0) return false;
    const std::uint64_t clusters_left = std::uint64_t{boot.cluster_count} + 2 - extent.first_cluster;
    return extent.length <= boot.cluster_size * clusters_left;
}

} // namespace

std::uint16_t exfat_set_checksum(Raw set) {
    std::uint16_t sum = 0;
    for (std::size_t i = 0; i < set.size(); ++i)
        if (i != 2 && i != 3)
            sum = static_cast<std::uint16_t>(std::rotr(sum, 1) + std::to_integer<std::uint16_t>(set[i]));
    return sum;
}

bool exfat_directory_ends(Raw entries) {
    for (std::size_t at = 0; at + entry_size <= entries.size(); at += entry_size)
        if (entries[at] == std::byte{0}) return true;
    return false;
}

Result<ExfatRoot> parse_exfat_root(Raw entries, const ExfatBoot& boot) {
    ExfatRoot root;
    bool has_bitmap = false;
    for (std::size_t at = 0; at + entry_size <= entries.size(); at += entry_size) {
        const Raw entry = entries.subspan(at, entry_size);
        const auto type = load_le<std::uint8_t>(entry, 0);
        if (type == 0x00) break;
        switch (type) {
            case 0x81:
                // Flag bit 0 marks the second bitmap of TexFAT.
                if ((load_le<std::uint8_t>(entry, 1) & 1) != 0) {
                    root.second_bitmap = extent_of(entry);
                    break;
                }
                if (has_bitmap) break;
                root.bitmap = extent_of(entry);
                root.bitmap_entry = {at};
                has_bitmap = true;
                break;
            case 0x82:
                if (root.upcase) break;
                root.upcase = extent_of(entry);
                root.upcase_entry = {at};
                root.upcase_checksum = load_le<std::uint32_t>(entry, 4);
                break;
            case 0x83: {
                constexpr std::uint8_t longest_label = 11, most_stored = 15;
                const auto characters = load_le<std::uint8_t>(entry, 1);
                if (characters > longest_label)
                    root.defects.push_back(
                        fmt::format("volume label of {} characters, at most {} expected", characters, longest_label));
                // Some formatters use the reserved bytes of the entry for longer labels, and some drivers read them.
                const std::size_t stored = std::min(characters, most_stored);
                if (stored > 0) root.label = text_from_utf16(entry.subspan(2, 2 * stored));
                break;
            }
            case 0xA0:
                root.volume_guid = guid_text(entry.subspan(6, 16));
                root.guid_entry = {at};
                root.guid_checksum_valid = exfat_set_checksum(entry) == load_le<std::uint16_t>(entry, 2);
                break;
            case 0x85:
                ++root.files;
                break;
            default:
                break;
        }
    }
    if (!has_bitmap) return fail(Errc::bad_format, "no allocation bitmap in the root directory");
    const std::uint64_t needed = (std::uint64_t{boot.cluster_count} + 7) / 8;
    if (!fits(root.bitmap, boot) || root.bitmap.length.count < needed)
        return fail(Errc::bad_format,
                    fmt::format("allocation bitmap: cluster {}, {} bytes; a cluster of the heap and {} bytes expected",
                                root.bitmap.first_cluster, root.bitmap.length.count, needed));
    if (!root.upcase) root.defects.emplace_back("no up-case table in the root directory");
    // The largest possible table has one UTF-16 unit for each character.
    if (root.upcase && (!fits(*root.upcase, boot) || root.upcase->length > 128_KiB)) {
        root.defects.push_back(
            fmt::format("up-case table: cluster {}, {} bytes", root.upcase->first_cluster, root.upcase->length.count));
        root.upcase.reset();
    }
    return root;
}

} // namespace mediarig::media

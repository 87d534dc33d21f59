// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/profiles.hpp"

#include <fmt/format.h>

#include "host/base/enum_names.hpp"
#include "host/base/text.hpp"
#include "host/media/format/layouts/sd_layout.hpp"
#include "host/media/format/layouts/system_layouts.hpp"
#include "host/media/format/table_plan.hpp"

namespace mediarig::media {
namespace {

/// Limit of the Windows formatter for FAT32.
constexpr Bytes largest_windows_fat32 = 32_GiB;
/// Smaller media have no space for a table, its alignment and a file system.
constexpr Bytes smallest_with_table = 8_MiB;
/// newfs_exfat changes from 32 to 128 KiB at a volume size that is not publicly known. It is between 16 and 60 GB, so
/// the limit of the other formatters is assumed.
constexpr Bytes assumed_macos_edge = 32_GiB;

auto no_such_file_system(FormatProfile profile, FileSystem wanted, std::string_view makes) {
    return fail(Errc::bad_request, fmt::format("the profile {} does not support {} on this medium, only {}",
                                               name_of(profile), title_of(wanted), makes));
}

/// Length of the partition from `start`, without the space that must stay free at the end.
Result<Bytes> length_from(Bytes start, TableScheme table, Bytes medium, Bytes sector, Bytes free_at_end) {
    const Bytes end = usable_range(table, medium, sector).end;
    if (end <= start + free_at_end)
        return fail(Errc::bad_request,
                    fmt::format("a medium of {} is too small for a volume at byte {}: choose another profile",
                                size_text(medium), start.count));
    return end - free_at_end - start;
}

/// SD cards always have 512-byte sectors (SD Association, Physical Layer Simplified Specification).
Result<FormatSpec> sd_spec(Bytes medium, std::uint32_t sector, std::optional<FileSystem> wanted) {
    if (sector != 512)
        return fail(Errc::bad_request,
                    fmt::format("the SD layout requires sectors of 512 bytes, but this medium has sectors of {}: "
                                "choose another profile",
                                sector));
    const auto volume = sd_volume_for(medium);
    if (!volume) return fail(volume.error());
    const FileSystem fs = volume->layout.file_system;
    if (wanted && *wanted != fs)
        return no_such_file_system(FormatProfile::sd, *wanted,
                                   fmt::format("{} on a medium of {}", title_of(fs), size_text(medium)));
    FormatSpec spec{
        .fs = fs, .cluster_size = profile_cluster(FormatProfile::sd, fs, medium, volume->length), .label = {}};
    spec.partition = PartitionSpec{.table = TableScheme::mbr, .start = volume->start, .length = volume->length};
    if (fs == FileSystem::exfat) {
        spec.boundary = volume->fat_offset;
        spec.fat_length = volume->fat_length;
    } else {
        spec.reserved_sectors = static_cast<std::uint32_t>(volume->fat_offset / 512_B);
    }
    return spec;
}

/// A partition from 1 MiB to the end, with the defaults of the formatter, for Windows and Linux.
Result<FormatSpec> plain_spec(FormatProfile profile, Bytes medium, Bytes sector, std::optional<FileSystem> wanted) {
    const FileSystem fs = wanted.value_or(FileSystem::exfat);
    if (fs != FileSystem::exfat && fs != FileSystem::fat32) return no_such_file_system(profile, fs, "exFAT and FAT32");
    if (profile == FormatProfile::windows && fs == FileSystem::fat32 && medium > largest_windows_fat32)
        return no_such_file_system(profile, fs, "exFAT above 32 GiB");
    if (medium < smallest_with_table)
        return fail(Errc::bad_request,
                    too_small(medium, fmt::format("the profile {}", name_of(profile)), smallest_with_table));
    const TableScheme table = medium / sector > most_mbr_sectors ? TableScheme::gpt : TableScheme::mbr;
    const auto length = length_from(usual_start, table, medium, sector, {});
    if (!length) return fail(length.error());
    FormatSpec spec{.fs = fs, .cluster_size = profile_cluster(profile, fs, medium, *length), .label = {}};
    spec.partition = PartitionSpec{.table = table, .start = usual_start, .length = {}};
    // mkfs.exfat uses the same boundary without the option. The figure of Windows is not public.
    if (fs == FileSystem::exfat && profile == FormatProfile::linux) spec.boundary = usual_exfat_boundary;
    return spec;
}

Result<FormatSpec> macos_spec(Bytes medium, Bytes sector, std::optional<FileSystem> wanted) {
    const FileSystem fs = wanted.value_or(FileSystem::exfat);
    if (fs == FileSystem::hfs_plus || fs == FileSystem::hfsx_journaled || fs == FileSystem::fat16 ||
        fs == FileSystem::fat12)
        return no_such_file_system(FormatProfile::macos, fs, "exFAT, FAT32, HFS+ Journaled and APFS");
    if (sector != 512_B)
        return fail(
            Errc::bad_request,
            fmt::format("the format of macOS for sectors of {} bytes is not publicly known: choose another profile",
                        sector.count));
    if (medium <= macos_layout_known_above)
        return fail(Errc::bad_request, fmt::format("the format of macOS for a medium of {} is not publicly known, only "
                                                   "for media above {}: choose another profile",
                                                   size_text(medium), size_text(macos_layout_known_above)));
    const Bytes start = macos_start_of(fs);
    const bool hfs = fs == FileSystem::hfs_plus_journaled;
    const auto usable = length_from(start, TableScheme::gpt, medium, sector, hfs ? macos_free_behind_hfs : 0_B);
    if (!usable) return fail(usable.error());
    const bool on_mebibytes = fs == FileSystem::exfat || fs == FileSystem::fat32;
    const Bytes length = align_down(*usable, on_mebibytes ? 1_MiB : 4_KiB);

    FormatSpec spec{.fs = fs, .cluster_size = profile_cluster(FormatProfile::macos, fs, medium, length), .label = {}};
    spec.partition =
        PartitionSpec{.table = TableScheme::gpt, .start = start, .length = length, .efi_system_partition = true};
    if (fs == FileSystem::exfat) {
        const Bytes assumed = length <= assumed_macos_edge ? 32_KiB : 128_KiB;
        const Bytes cluster = spec.cluster_size.value_or(assumed);
        spec.cluster_size = cluster;
        spec.boundary = macos_exfat_step;
        spec.fat_length = align_up(Bytes{length / cluster * 4}, macos_exfat_step);
    }
    if (fs == FileSystem::fat32) spec.reserved_sectors = macos_fat32_reserved_sectors;
    return spec;
}

} // namespace

Result<FormatSpec> spec_for(FormatProfile profile, Bytes medium, std::uint32_t sector,
                            std::optional<FileSystem> wanted) {
    switch (profile) {
        case FormatProfile::sd:
            return sd_spec(medium, sector, wanted);
        case FormatProfile::macos:
            return macos_spec(medium, {sector}, wanted);
        case FormatProfile::windows:
        case FormatProfile::linux:
            break;
    }
    return plain_spec(profile, medium, {sector}, wanted);
}

std::optional<Bytes> profile_cluster(FormatProfile profile, FileSystem fs, Bytes medium, Bytes volume) {
    const bool exfat = fs == FileSystem::exfat;
    switch (profile) {
        case FormatProfile::sd: {
            const auto layout = sd_layout_for(medium);
            return layout ? std::optional(layout->cluster_size) : std::nullopt;
        }
        case FormatProfile::macos:
            if (fs == FileSystem::fat32) return macos_fat32_cluster(volume);
            return exfat ? macos_exfat_cluster(volume) : std::nullopt;
        case FormatProfile::windows:
        case FormatProfile::linux:
            break;
    }
    return exfat ? usual_exfat_cluster(volume) : std::nullopt;
}

FormatSpec laid_over(FormatSpec spec, const FormatSpec& values) {
    if (values.cluster_size || values.boundary || values.partition) spec.fat_length.reset();
    if (!values.label.empty()) spec.label = values.label;
    const auto lay = [](auto& under, const auto& over) {
        if (over) under = over;
    };
    lay(spec.cluster_size, values.cluster_size);
    lay(spec.journal_size, values.journal_size);
    lay(spec.volume_id, values.volume_id);
    lay(spec.created, values.created);
    lay(spec.partition, values.partition);
    lay(spec.boundary, values.boundary);
    lay(spec.fat_length, values.fat_length);
    lay(spec.reserved_sectors, values.reserved_sectors);
    return spec;
}

} // namespace mediarig::media

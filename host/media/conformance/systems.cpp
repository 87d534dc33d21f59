// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "host/media/conformance/finder.hpp"
#include "host/media/conformance/rules.hpp"
#include "host/media/format/layouts/system_layouts.hpp"

namespace mediarig::media {
namespace {

using detail::bytes_text;
using detail::Finder;
using detail::FormatRule;
using detail::number;

constexpr FormatRule windows_cluster{DeviationSeverity::warning, "Windows would have chosen another cluster size",
                                     "Microsoft support article 140365", Certainty::published};
constexpr FormatRule linux_cluster{DeviationSeverity::warning, "mkfs.exfat would have chosen another cluster size",
                                   "exfatprogs 1.2.0", Certainty::measured};
constexpr FormatRule linux_start{DeviationSeverity::note, "sfdisk, parted and gdisk begin at 1 MiB", "util-linux 2.38",
                                 Certainty::measured};
constexpr FormatRule linux_fat{DeviationSeverity::note, "mkfs.exfat puts the FAT at 1 MiB of an aligned partition",
                               "exfatprogs 1.2.0", Certainty::measured};
constexpr FormatRule macos_scheme{DeviationSeverity::warning, "diskutil makes a GPT by default", "logs of diskutil",
                                  Certainty::published};
constexpr FormatRule macos_start{DeviationSeverity::note, "the start of diskutil's volume after its EFI partition",
                                 "logs of diskutil", Certainty::published};
constexpr FormatRule macos_cluster{DeviationSeverity::warning, "newfs_exfat would have chosen another cluster size",
                                   "logs of diskutil at 5 GB to 1 TB", Certainty::published};
constexpr FormatRule macos_exfat{DeviationSeverity::note, "newfs_exfat lays the FAT out in steps of 1 MiB",
                                 "logs of diskutil", Certainty::published};
constexpr FormatRule macos_block{DeviationSeverity::warning, "newfs_hfs would have chosen another block size",
                                 "Apple open source, hfs-715, newfs_hfs", Certainty::published};
constexpr FormatRule macos_journal{DeviationSeverity::warning, "newfs_hfs would have made a journal of another size",
                                   "Apple open source, hfs-715, newfs_hfs", Certainty::published};
constexpr FormatRule macos_journaled{DeviationSeverity::warning, "diskutil makes HFS+ with a journal",
                                     "manual page of diskutil", Certainty::published};
constexpr FormatRule macos_nodes{DeviationSeverity::warning, "newfs_hfs would have made nodes of another size",
                                 "Apple open source, hfs-715, newfs_hfs", Certainty::published};
constexpr FormatRule macos_apfs{DeviationSeverity::warning, "newfs_apfs makes blocks of 4096 bytes",
                                "manual page of newfs_apfs", Certainty::published};

/// File systems that an operating system mounts without additional software.
constexpr std::array<std::string_view, 9> of_windows{"exfat", "fat32", "fat16",   "fat12",    "ntfs",
                                                     "refs",  "udf",   "iso9660", "bitlocker"};
constexpr std::array<std::string_view, 11> of_macos{"exfat", "fat32", "fat16",  "fat12", "apfs",   "hfs+",
                                                    "hfs+j", "hfsx",  "hfsx+j", "udf",   "iso9660"};
constexpr std::array<std::string_view, 2> not_of_linux{"apfs", "refs"};
constexpr FormatRule not_of_windows_rule{DeviationSeverity::warning, "Windows does not mount this file system",
                                         "Microsoft, file system functionality comparison", Certainty::published};
constexpr FormatRule not_of_macos_rule{DeviationSeverity::warning,
                                       "macOS does not mount this file system, or not with its own driver",
                                       "manual page of diskutil", Certainty::published};
constexpr FormatRule not_of_linux_rule{DeviationSeverity::warning,
                                       "the Linux kernel contains no driver for this file system", "Linux, folder fs",
                                       Certainty::published};

template <std::size_t size>
bool is_one_of(const std::array<std::string_view, size>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

/// Skips a volume without a known file system; other rules report it.
void check_mounted(const InspectedVolume& volume, const std::string& subject, ConformanceStandard system,
                   Finder& finder) {
    const std::string& file_system = volume.file_system;
    if (file_system.empty()) return;
    if (system == ConformanceStandard::windows && !is_one_of(of_windows, file_system))
        finder.add(subject, "file_system", file_system, fmt::format("{}", fmt::join(of_windows, ", ")),
                   not_of_windows_rule);
    if (system == ConformanceStandard::macos && !is_one_of(of_macos, file_system))
        finder.add(subject, "file_system", file_system, fmt::format("{}", fmt::join(of_macos, ", ")),
                   not_of_macos_rule);
    if (system == ConformanceStandard::linux && is_one_of(not_of_linux, file_system))
        finder.add(subject, "file_system", file_system, "a file system that Linux mounts", not_of_linux_rule);
}

/// The volume with the user's data: the largest volume. On a Mac an EFI partition precedes it.
std::optional<std::size_t> main_volume(const InspectReport& report) {
    if (report.volumes.empty()) return std::nullopt;
    const auto largest = std::ranges::max_element(report.volumes, {}, &InspectedVolume::length);
    return static_cast<std::size_t>(largest - report.volumes.begin());
}

void check_cluster(const InspectedVolume& volume, const std::string& subject, const FormatRule& rule, Finder& finder) {
    const auto cluster = number(volume, "cluster_size");
    if (volume.file_system != "exfat" || !cluster) return;
    if (const auto usual = usual_exfat_cluster(volume.length); usual && *usual != Bytes{*cluster})
        finder.add(subject, "cluster_size", bytes_text({*cluster}), bytes_text(*usual), rule);
}

void check_linux(const InspectReport& report, const InspectedVolume& volume, const std::string& subject,
                 Finder& finder) {
    check_cluster(volume, subject, linux_cluster, finder);
    if (report.scheme != "none" && volume.start != usual_start)
        finder.add(subject, "start", bytes_text(volume.start), bytes_text(usual_start), linux_start);
    const auto fat = number(volume, "fat_offset");
    if (volume.file_system == "exfat" && fat && *fat != (1_MiB).count)
        finder.add(subject, "fat_offset", bytes_text({*fat}), bytes_text(1_MiB), linux_fat);
}

/// The macOS layout is unknown for smaller media and for other sector sizes.
bool is_known_of_macos(const InspectReport& report) {
    return report.sector_size == 512 && report.size > macos_layout_known_above;
}

void check_macos_exfat(const InspectedVolume& volume, const std::string& subject, Finder& finder) {
    const auto cluster = number(volume, "cluster_size");
    const auto expected = macos_exfat_cluster(volume.length);
    if (cluster && expected && Bytes{*cluster} != *expected)
        finder.add(subject, "cluster_size", bytes_text({*cluster}), bytes_text(*expected), macos_cluster);
    const auto fat = number(volume, "fat_offset"), length = number(volume, "fat_length"),
               heap = number(volume, "cluster_heap_offset");
    if (!fat || !length || !heap) return;
    if (Bytes{*fat} != macos_exfat_step)
        finder.add(subject, "fat_offset", bytes_text({*fat}), bytes_text(macos_exfat_step), macos_exfat);
    if (Bytes{*length} % macos_exfat_step != 0_B)
        finder.add(subject, "fat_length", bytes_text({*length}), "a multiple of " + bytes_text(macos_exfat_step),
                   macos_exfat);
    if (*heap != *fat + *length)
        finder.add(subject, "cluster_heap_offset", bytes_text({*heap}), bytes_text({*fat + *length}), macos_exfat);
}

/// Journal size by newfs_hfs: 512 KiB below 128 MiB, else 8 MiB for each 100 GiB or part of 100 GiB, at most 512 MiB.
Bytes macos_journal_size(Bytes volume) {
    if (volume < 128_MiB) return 512_KiB;
    return std::min(8_MiB * (1 + volume / 100_GiB), 512_MiB);
}
Bytes macos_block_size(Bytes volume) {
    constexpr Bytes tebibyte{1ULL << 40};
    if (volume >= tebibyte * 16) return 32_KiB;
    if (volume >= tebibyte * 8) return 16_KiB;
    return volume >= tebibyte * 2 ? 8_KiB : 4_KiB;
}

void check_macos_hfs(const InspectedVolume& volume, const std::string& subject, Finder& finder) {
    const auto expect = [&](const char* name, Bytes expected, const FormatRule& rule) {
        if (const auto found = number(volume, name); found && Bytes{*found} != expected)
            finder.add(subject, name, bytes_text({*found}), bytes_text(expected), rule);
    };
    expect("block_size", macos_block_size(volume.length), macos_block);
    expect("journal_size", macos_journal_size(volume.length), macos_journal);
    expect("catalog_node_size", volume.length < 1_GiB ? 4_KiB : 8_KiB, macos_nodes);
    expect("extents_node_size", 4_KiB, macos_nodes);
    expect("attributes_node_size", 8_KiB, macos_nodes);
    if (parameter(volume, "journaled") == "no") finder.add(subject, "journaled", "no", "yes", macos_journaled);
}

void check_macos(const InspectReport& report, const InspectedVolume& volume, const std::string& subject,
                 Finder& finder) {
    finder.compare(detail::table_subject, "scheme", report.scheme, "gpt", macos_scheme);
    const bool fat_like = volume.file_system == "exfat" || is_fat(volume.file_system);
    const Bytes start = macos_start_of(fat_like ? FileSystem::exfat : FileSystem::apfs);
    const bool known = is_known_of_macos(report);
    if (report.scheme == "gpt" && known && volume.start != start)
        finder.add(subject, "start", bytes_text(volume.start), bytes_text(start), macos_start);
    if (volume.file_system == "exfat" && known) check_macos_exfat(volume, subject, finder);
    if (is_hfs(volume.file_system)) check_macos_hfs(volume, subject, finder);
    if (const auto block = number(volume, "block_size"); volume.file_system == "apfs" && block && *block != 4096)
        finder.add(subject, "block_size", std::to_string(*block), "4096", macos_apfs);
}

} // namespace

std::vector<Deviation> system_deviations(const InspectReport& report, ConformanceStandard system) {
    std::vector<Deviation> found;
    Finder finder(found);
    const auto index = main_volume(report);
    if (!index) return found;
    const InspectedVolume& volume = report.volumes[*index];
    const std::string subject = detail::subject_of(*index);
    check_mounted(volume, subject, system, finder);
    if (system == ConformanceStandard::windows) check_cluster(volume, subject, windows_cluster, finder);
    if (system == ConformanceStandard::linux) check_linux(report, volume, subject, finder);
    if (system == ConformanceStandard::macos) check_macos(report, volume, subject, finder);
    return found;
}

Result<ConformanceStandard> standard_from(std::string_view name) {
    auto known = from_word<ConformanceStandard>(name, "standard");
    if (!known) known.error().detail += ", or the path of a profile";
    return known;
}

namespace {

/// True if the start of the partition follows from a layout that is itself aligned, so that the start is not a
/// deviation.
bool start_is_of_its_layout(ConformanceStandard standard, const InspectReport& report) {
    if (!is_aligned_by_data_area(report)) return false;
    if (standard == ConformanceStandard::sd) return true;
    return standard == ConformanceStandard::sound &&
           std::ranges::none_of(sd_deviations(report), [](const Deviation& deviation) {
               return deviation.severity > DeviationSeverity::note;
           });
}

} // namespace

std::vector<Deviation> deviations_from(ConformanceStandard standard, const InspectReport& report) {
    std::vector<Deviation> found = general_deviations(report);
    if (start_is_of_its_layout(standard, report))
        std::erase_if(found, [](const Deviation& deviation) { return deviation.name == "start"; });
    const auto more = standard == ConformanceStandard::sd      ? sd_deviations(report)
                      : standard == ConformanceStandard::sound ? std::vector<Deviation>{}
                                                               : system_deviations(report, standard);
    found.insert(found.end(), more.begin(), more.end());
    std::ranges::stable_sort(found, std::ranges::greater{}, &Deviation::severity);
    return found;
}

} // namespace mediarig::media

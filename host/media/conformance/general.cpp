// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>

#include "host/media/conformance/finder.hpp"
#include "host/media/conformance/rules.hpp"
#include "host/media/format/layouts/partition_types.hpp"
#include "host/media/format/layouts/system_layouts.hpp"
#include "host/media/inspect/fat.hpp"
#include "host/media/inspect/signature.hpp"

namespace mediarig::media {
namespace {

using detail::bytes_text;
using detail::Finder;
using detail::FormatRule;
using detail::number;
using detail::subject_of;

constexpr FormatRule damaged{DeviationSeverity::error,
                             "damaged, truncated, or only partly readable: systems may refuse it, or lose files",
                             "the format's own specification", Certainty::specification};
constexpr FormatRule nothing_known{DeviationSeverity::error,
                                   "no file system that mediarig knows: most systems cannot mount the medium",
                                   "the formats that mediarig knows", Certainty::published};
constexpr FormatRule barred{DeviationSeverity::error,
                            "recognised by its signature: systems cannot mount the medium without another step",
                            "the formats that mediarig knows", Certainty::published};
constexpr FormatRule not_examined{DeviationSeverity::note,
                                  "recognised by its signature alone: its values were not compared",
                                  "the formats that mediarig knows", Certainty::published};
constexpr FormatRule wrong_type{DeviationSeverity::error,
                                "systems choose the driver by the partition's type, and may not mount the volume",
                                "UEFI specification, chapter 5; the usual list of MBR types", Certainty::published};
constexpr FormatRule ignored_by_windows{DeviationSeverity::warning,
                                        "Windows ignores a Windows file system in a Linux partition",
                                        "sfdisk's default for GPT", Certainty::published};
constexpr FormatRule sector_mismatch{DeviationSeverity::error,
                                     "most systems cannot use a volume whose sector size differs from the medium's",
                                     "manual page of mkfs.exfat", Certainty::published};
constexpr FormatRule legacy_start{DeviationSeverity::warning,
                                  "sector 63 is the alignment of MS-DOS: almost every write straddles two flash pages",
                                  "convention since Windows Vista: 1 MiB", Certainty::published};
constexpr FormatRule not_on_mebibyte{
    DeviationSeverity::warning, "a partition that does not begin on a whole MiB straddles flash pages and erase blocks",
    "convention since Windows Vista: 1 MiB", Certainty::published};
constexpr FormatRule apple_start{DeviationSeverity::note,
                                 "the default of macOS, 20480 bytes past a whole MiB: not aligned to erase units",
                                 "logs of diskutil", Certainty::published};
constexpr FormatRule apple_efi_start{
    DeviationSeverity::note, "the position of the EFI partition of macOS, which is not written after the format",
    "logs of diskutil", Certainty::published};
constexpr FormatRule dirty{
    DeviationSeverity::warning,
    "the volume was not cleanly unmounted, or was in use when it was read or copied; systems may "
    "check or refuse it",
    "the format's own specification", Certainty::specification};
constexpr FormatRule media_fault{DeviationSeverity::warning,
                                 "a driver noted bad sectors, of this medium or of one that the volume was copied from",
                                 "the format's own specification", Certainty::specification};
constexpr FormatRule misplaced{DeviationSeverity::warning, "drivers may look for the volume at its recorded position",
                               "Microsoft, exFAT file system specification, section 3.1", Certainty::specification};
constexpr FormatRule hybrid{DeviationSeverity::warning, "two tables that may contradict each other",
                            "UEFI specification, chapter 5", Certainty::specification};
constexpr FormatRule stale_outside{DeviationSeverity::warning, "other systems may mistake it for the present contents",
                                   "the format that it belongs to", Certainty::published};
constexpr FormatRule stale_inside{DeviationSeverity::note,
                                  "inside a volume: a remnant of a former format, or user data",
                                  "the format that it belongs to", Certainty::published};
constexpr FormatRule case_sensitive{DeviationSeverity::note, "programs on macOS expect names to be case-insensitive",
                                    "default of diskutil", Certainty::published};
constexpr FormatRule encrypted_volume{DeviationSeverity::note,
                                      "only Apple systems can read the volume, and only with the password",
                                      "Apple File System Reference", Certainty::specification};

constexpr FormatRule few_clusters{DeviationSeverity::warning,
                                  "drivers read it as FAT32; programs that go by the number of clusters, as some "
                                  "firmware does, take it for FAT12 or FAT16",
                                  "Microsoft, FAT32 File System Specification", Certainty::specification};

/// File systems that belong to a partition type.
struct PartitionTypeRule {
    std::string_view type;
    std::array<std::string_view, 4> file_systems;
};
constexpr std::array promises{
    PartitionTypeRule{"0x07", {"exfat", "ntfs"}},
    // All current systems treat these types as one family, and read the width from the volume.
    PartitionTypeRule{"0x01", {"fat12", "fat16", "fat32"}},
    PartitionTypeRule{"0x04", {"fat12", "fat16", "fat32"}},
    PartitionTypeRule{"0x06", {"fat12", "fat16", "fat32"}},
    PartitionTypeRule{"0x0b", {"fat12", "fat16", "fat32"}},
    PartitionTypeRule{"0x0c", {"fat12", "fat16", "fat32"}},
    PartitionTypeRule{"0x0e", {"fat12", "fat16", "fat32"}},
    PartitionTypeRule{"0xaf", {"hfs+", "hfs+j", "hfsx", "hfsx+j"}},
    PartitionTypeRule{"48465300-0000-11aa-aa11-00306543ecac", {"hfs+", "hfs+j", "hfsx", "hfsx+j"}},
    PartitionTypeRule{"7c3457ef-0000-11aa-aa11-00306543ecac", {"apfs"}},
};
constexpr std::string_view linux_data = "0fc63daf-8483-4772-8e79-3d69d8477de4";
/// Start of the first volume after the EFI partition in the macOS layout.
constexpr Bytes apple_default_start = macos_efi_start + macos_efi_length;

/// Checks that the medium has a file system, and that its partition table is intact.
void check_content(const InspectReport& report, Finder& finder) {
    const bool nothing = report.scheme == "none" && report.volumes.empty();
    if (!nothing && !report.problem.empty())
        finder.add(detail::table_subject, "problem", report.problem, "none", damaged);
    const auto holds_something = [](const InspectedVolume& volume) { return !volume.file_system.empty(); };
    if (std::ranges::any_of(report.volumes, holds_something)) return;
    finder.add("medium", "content",
               nothing                  ? report.problem
               : report.volumes.empty() ? "no partition"
                                        : "no file system known in any partition",
               "a file system", nothing_known);
}

void check_type(const InspectedVolume& volume, const std::string& subject, Finder& finder) {
    const auto type = parameter(volume, "partition_type");
    if (!type || volume.file_system.empty()) return;
    const auto promise = std::ranges::find(promises, std::string_view(*type), &PartitionTypeRule::type);
    if (promise != promises.end() &&
        std::ranges::find(promise->file_systems, std::string_view(volume.file_system)) == promise->file_systems.end())
        finder.add(subject, "partition_type", *type, fmt::format("the type of {}", volume.file_system), wrong_type);
    if (*type == linux_data && (volume.file_system == "exfat" || is_fat(volume.file_system)))
        finder.add(subject, "partition_type", *type, "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7", ignored_by_windows);
}

void check_start(const InspectedVolume& volume, const std::string& subject, Finder& finder) {
    const std::string found = bytes_text(volume.start);
    if (volume.start == Bytes{63 * 512})
        finder.add(subject, "start", found, "a whole MiB", legacy_start);
    else if (volume.start == apple_default_start)
        finder.add(subject, "start", found, "a whole MiB", apple_start);
    else if (volume.start == macos_efi_start && parameter(volume, "partition_type") == gpt_efi_system)
        finder.add(subject, "start", found, "a whole MiB", apple_efi_start);
    else if (volume.start % 1_MiB != 0_B && !volume.file_system.empty())
        finder.add(subject, "start", found, "a whole MiB", not_on_mebibyte);
}

/// Flag of a volume that was not cleanly unmounted or that had read errors.
struct FaultMark {
    const char *name, *found, *expected;
    const FormatRule* rule;
};
constexpr std::array fault_marks{
    FaultMark{"volume_dirty", "yes", "no", &dirty},        FaultMark{"dirty_in_boot_sector", "yes", "no", &dirty},
    FaultMark{"media_failure", "yes", "no", &media_fault}, FaultMark{"hard_error", "yes", "no", &media_fault},
    FaultMark{"unmounted", "no", "yes", &dirty},           FaultMark{"inconsistent", "yes", "no", &dirty}};

void check_flags(const InspectedVolume& volume, const std::string& subject, Finder& finder) {
    const auto is = [&](const char* name, const char* value) { return parameter(volume, name) == value; };
    for (const FaultMark& mark : fault_marks)
        if (is(mark.name, mark.found)) finder.add(subject, mark.name, mark.found, mark.expected, *mark.rule);
    if (is("case_sensitive", "yes")) finder.add(subject, "case_sensitive", "yes", "no", case_sensitive);
    if (is("volume_encrypted", "yes")) finder.add(subject, "volume_encrypted", "yes", "no", encrypted_volume);
    if (const auto clusters = number(volume, "cluster_count");
        volume.file_system == "fat32" && clusters && *clusters < fat_width("fat32").least_clusters)
        finder.add(subject, "cluster_count", std::to_string(*clusters),
                   fmt::format("at least {}", fat_width("fat32").least_clusters), few_clusters);
    // The value 0 means that the position is unspecified.
    const auto offset = detail::number(volume, "partition_offset");
    if (offset && *offset != 0 && Bytes{*offset} != volume.start)
        finder.add(subject, "partition_offset", bytes_text({*offset}), bytes_text(volume.start), misplaced);
}

} // namespace

bool has_fault_mark(const InspectReport& report) {
    return std::ranges::any_of(report.volumes, [](const InspectedVolume& volume) {
        return std::ranges::any_of(fault_marks,
                                   [&](const FaultMark& mark) { return parameter(volume, mark.name) == mark.found; });
    });
}

std::vector<Deviation> general_deviations(const InspectReport& report) {
    std::vector<Deviation> found;
    Finder finder(found);
    check_content(report, finder);
    for (const auto& [name, value] : report.parameters)
        if (name == "hybrid_mbr" && value == "yes") finder.add(detail::table_subject, name, value, "no", hybrid);
    for (std::size_t i = 0; i < report.volumes.size(); ++i) {
        const InspectedVolume& volume = report.volumes[i];
        const std::string subject = subject_of(i);
        if (!volume.problem.empty())
            finder.add(subject, "problem", volume.problem, "none", is_barrier_text(volume.problem) ? barred : damaged);
        if (const auto sector = number(volume, "sector_size"); sector && *sector != report.sector_size)
            finder.add(subject, "sector_size", std::to_string(*sector), std::to_string(report.sector_size),
                       sector_mismatch);
        if (volume.problem.empty() && parameter(volume, "signature"))
            finder.add(subject, "file_system", volume.file_system, "a file system that mediarig reads", not_examined);
        check_type(volume, subject, finder);
        if (report.scheme != "none") check_start(volume, subject, finder);
        check_flags(volume, subject, finder);
    }
    for (const StaleSignature& stale : report.stale_signatures)
        finder.add("medium", "stale signature", fmt::format("{} at byte {}", stale.what, stale.at.count), "none",
                   stale.in_volume ? stale_inside : stale_outside);
    return found;
}

} // namespace mediarig::media

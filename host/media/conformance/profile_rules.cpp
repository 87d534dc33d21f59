// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "host/media/conformance/finder.hpp"
#include "host/media/conformance/rules.hpp"
#include "host/media/format/hfsplus/layout.hpp"
#include "host/media/format/layouts/partition_types.hpp"
#include "host/media/format/layouts/sd_layout.hpp"
#include "host/media/format/layouts/system_layouts.hpp"
#include "host/media/format/profiles.hpp"
#include "host/media/format/table_plan.hpp"

namespace mediarig::media {
namespace {

using detail::bytes_text;
using detail::Finder;
using detail::FormatRule;
using detail::number;

constexpr const char* sd_source = "manual page of mkfs.exfat; SdFat; dumps of formatted cards";
constexpr const char* windows_source = "Microsoft support article 140365";
constexpr const char* linux_source = "util-linux 2.38, exfatprogs 1.2.0";
constexpr const char* macos_source = "logs of diskutil; Apple, Technical Note TN2166";
constexpr const char* newfs_source = "Apple open source, hfs-715, newfs_hfs";

/// Rule about a property of a profile. Properties that spec_for() leaves open have no rule.
struct PropertyRule {
    FormatProfile profile;
    std::string_view name;
    FormatRule rule;
};

constexpr std::array property_rules{
    PropertyRule{
        FormatProfile::sd,
        "scheme",
        {DeviationSeverity::warning, "cameras and players expect an MBR on a card", sd_source, Certainty::published}},
    PropertyRule{FormatProfile::sd,
                 "partitions",
                 {DeviationSeverity::warning, "cameras and players use the first partition alone", sd_source,
                  Certainty::published}},
    PropertyRule{FormatProfile::sd,
                 "file_system",
                 {DeviationSeverity::warning, "the SD classes name their file system; a camera may refuse another",
                  sd_source, Certainty::published}},
    PropertyRule{FormatProfile::sd,
                 "start",
                 {DeviationSeverity::warning, "a partition that does not begin on a boundary unit shares erase blocks",
                  sd_source, Certainty::published}},
    PropertyRule{
        FormatProfile::sd,
        "length",
        {DeviationSeverity::note, "the partition of the SD layout fills the card", sd_source, Certainty::published}},
    PropertyRule{FormatProfile::sd,
                 "partition_type",
                 {DeviationSeverity::warning, "the type that the SD layout gives this file system", sd_source,
                  Certainty::published}},
    PropertyRule{FormatProfile::sd,
                 "cluster_size",
                 {DeviationSeverity::warning, "the speed class is promised for writes of this cluster size", sd_source,
                  Certainty::published}},
    PropertyRule{FormatProfile::sd,
                 "fat_offset",
                 {DeviationSeverity::warning, "a FAT that shares its allocation unit with data wears both", sd_source,
                  Certainty::published}},
    PropertyRule{FormatProfile::sd,
                 "fat_length",
                 {DeviationSeverity::note, "the FAT of the SD layout fills half a boundary unit", sd_source,
                  Certainty::published}},
    PropertyRule{FormatProfile::sd,
                 "cluster_heap_offset",
                 {DeviationSeverity::warning,
                  "clusters that straddle allocation units make each write a read-modify-write of two", sd_source,
                  Certainty::published}},
    PropertyRule{FormatProfile::sd,
                 "data_offset",
                 {DeviationSeverity::warning,
                  "clusters that straddle allocation units make each write a read-modify-write of two", sd_source,
                  Certainty::published}},
    PropertyRule{FormatProfile::sd,
                 "reserved_sectors",
                 {DeviationSeverity::note, "the SD layout fills the gap before the data area with reserved sectors",
                  sd_source, Certainty::published}},

    PropertyRule{FormatProfile::windows,
                 "scheme",
                 {DeviationSeverity::note, "Windows makes an MBR, or a GPT above its range", windows_source,
                  Certainty::published}},
    PropertyRule{FormatProfile::windows,
                 "partitions",
                 {DeviationSeverity::note, "Windows makes one partition", windows_source, Certainty::published}},
    PropertyRule{FormatProfile::windows,
                 "file_system",
                 {DeviationSeverity::warning, "the formatter of Windows does not make this file system here",
                  windows_source, Certainty::published}},
    PropertyRule{FormatProfile::windows,
                 "start",
                 {DeviationSeverity::note, "Windows begins at 1 MiB, or after its reserved partition", windows_source,
                  Certainty::published}},
    PropertyRule{
        FormatProfile::windows,
        "length",
        {DeviationSeverity::note, "the partition of Windows extends to the end", windows_source, Certainty::published}},
    PropertyRule{FormatProfile::windows,
                 "partition_type",
                 {DeviationSeverity::warning, "the type that Windows gives this file system", windows_source,
                  Certainty::published}},
    PropertyRule{FormatProfile::windows,
                 "cluster_size",
                 {DeviationSeverity::warning, "Windows would have chosen another cluster size", windows_source,
                  Certainty::published}},

    PropertyRule{
        FormatProfile::linux,
        "scheme",
        {DeviationSeverity::note, "sfdisk makes an MBR, or a GPT above its range", linux_source, Certainty::measured}},
    PropertyRule{FormatProfile::linux,
                 "partitions",
                 {DeviationSeverity::note, "the profile has one partition", linux_source, Certainty::measured}},
    PropertyRule{FormatProfile::linux,
                 "file_system",
                 {DeviationSeverity::warning, "the profile does not make this file system here", linux_source,
                  Certainty::measured}},
    PropertyRule{
        FormatProfile::linux,
        "start",
        {DeviationSeverity::note, "sfdisk, parted and gdisk begin at 1 MiB", linux_source, Certainty::measured}},
    PropertyRule{
        FormatProfile::linux,
        "length",
        {DeviationSeverity::note, "the partition of sfdisk extends to the end", linux_source, Certainty::measured}},
    PropertyRule{FormatProfile::linux,
                 "partition_type",
                 {DeviationSeverity::warning, "Windows and macOS find this file system by its type", linux_source,
                  Certainty::measured}},
    PropertyRule{FormatProfile::linux,
                 "cluster_size",
                 {DeviationSeverity::warning, "mkfs.exfat would have chosen another cluster size", linux_source,
                  Certainty::measured}},
    PropertyRule{FormatProfile::linux,
                 "fat_offset",
                 {DeviationSeverity::note, "mkfs.exfat puts the FAT at 1 MiB of an aligned partition", linux_source,
                  Certainty::measured}},

    PropertyRule{FormatProfile::macos,
                 "scheme",
                 {DeviationSeverity::warning, "diskutil makes a GPT by default", macos_source, Certainty::published}},
    PropertyRule{FormatProfile::macos,
                 "partitions",
                 {DeviationSeverity::note, "diskutil makes an EFI partition and one for the user", macos_source,
                  Certainty::published}},
    PropertyRule{FormatProfile::macos,
                 "file_system",
                 {DeviationSeverity::warning, "the profile does not make this file system here", macos_source,
                  Certainty::published}},
    PropertyRule{FormatProfile::macos,
                 "start",
                 {DeviationSeverity::note, "the start that diskutil chooses", macos_source, Certainty::published}},
    PropertyRule{FormatProfile::macos,
                 "length",
                 {DeviationSeverity::note, "the length that diskutil chooses", macos_source, Certainty::published}},
    PropertyRule{FormatProfile::macos,
                 "partition_type",
                 {DeviationSeverity::warning, "the type that diskutil gives this file system", macos_source,
                  Certainty::published}},
    PropertyRule{FormatProfile::macos,
                 "cluster_size",
                 {DeviationSeverity::warning, "newfs_exfat or newfs_msdos would have chosen another cluster size",
                  "logs of diskutil at 5 GB to 1 TB; Apple open source, newfs_msdos", Certainty::published}},
    PropertyRule{FormatProfile::macos,
                 "fat_offset",
                 {DeviationSeverity::note, "newfs_exfat lays the FAT out in steps of 1 MiB", macos_source,
                  Certainty::published}},
    PropertyRule{FormatProfile::macos,
                 "fat_length",
                 {DeviationSeverity::note, "newfs_exfat lays the FAT out in steps of 1 MiB", macos_source,
                  Certainty::published}},
    PropertyRule{
        FormatProfile::macos,
        "cluster_heap_offset",
        {DeviationSeverity::note, "newfs_exfat puts the heap right after the FAT", macos_source, Certainty::published}},
    PropertyRule{FormatProfile::macos,
                 "reserved_sectors",
                 {DeviationSeverity::note, "newfs_msdos reserves 32 sectors", "Apple open source, newfs_msdos",
                  Certainty::published}},
    PropertyRule{FormatProfile::macos,
                 "block_size",
                 {DeviationSeverity::warning, "the formatter of macOS would have chosen another block size",
                  "Apple open source, hfs-715, newfs_hfs; manual page of newfs_apfs", Certainty::published}},
    PropertyRule{FormatProfile::macos,
                 "journal_size",
                 {DeviationSeverity::warning, "newfs_hfs would have made a journal of another size", newfs_source,
                  Certainty::published}},
    PropertyRule{FormatProfile::macos,
                 "journaled",
                 {DeviationSeverity::warning, "diskutil makes HFS+ with a journal", "manual page of diskutil",
                  Certainty::published}},
    PropertyRule{FormatProfile::macos,
                 "catalog_node_size",
                 {DeviationSeverity::warning, "newfs_hfs would have made nodes of another size", newfs_source,
                  Certainty::published}},
    PropertyRule{FormatProfile::macos,
                 "extents_node_size",
                 {DeviationSeverity::warning, "newfs_hfs would have made nodes of another size", newfs_source,
                  Certainty::published}},
    PropertyRule{FormatProfile::macos,
                 "attributes_node_size",
                 {DeviationSeverity::warning, "newfs_hfs would have made nodes of another size", newfs_source,
                  Certainty::published}},
};

FormatRule rule_of(FormatProfile profile, const ProfileProperty& property) {
    const auto* const found = std::ranges::find_if(property_rules, [&](const PropertyRule& rule) {
        return rule.profile == profile && rule.name == property.name;
    });
    if (found == property_rules.end())
        return {DeviationSeverity::warning, "the profile has another value", "the profile", Certainty::published};
    FormatRule rule = found->rule;
    if (profile == FormatProfile::windows && property.name == "scheme" && property.found == "none") {
        rule.severity = DeviationSeverity::warning;
        rule.reason = "Windows shows a fixed disk without a partition table as empty";
    }
    return rule;
}

/// File systems that an operating system mounts without additional software.
constexpr std::array<std::string_view, 9> of_windows{"exfat", "fat32", "fat16",   "fat12",    "ntfs",
                                                     "refs",  "udf",   "iso9660", "bitlocker"};
constexpr std::array<std::string_view, 12> of_macos{"exfat", "fat32", "fat16",  "fat12", "apfs",    "hfs+",
                                                    "hfs+j", "hfsx",  "hfsx+j", "udf",   "iso9660", "core_storage"};
constexpr std::array<std::string_view, 3> not_of_linux{"apfs", "refs", "core_storage"};
constexpr FormatRule not_of_windows_rule{DeviationSeverity::warning, "Windows does not mount this file system",
                                         "Microsoft, file system functionality comparison", Certainty::published};
constexpr FormatRule not_of_macos_rule{DeviationSeverity::warning,
                                       "macOS does not mount this file system, or not with its own driver",
                                       "manual page of diskutil", Certainty::published};
constexpr FormatRule not_of_linux_rule{DeviationSeverity::warning,
                                       "the Linux kernel contains no driver for this file system", "Linux, folder fs",
                                       Certainty::published};

/// Length that programs leave free at the end, for alignment.
constexpr Bytes free_for_alignment = 2_MiB;
constexpr std::string_view microsoft_reserved = "e3c9e316-0b5c-4db8-817d-f92df00215ae";

bool is_reserved(const InspectedVolume& volume) {
    return parameter(volume, "partition_type") == microsoft_reserved;
}

/// The volume with the user's data: on a card the first, elsewhere the largest. On a Mac an EFI partition precedes it.
std::optional<std::size_t> main_volume(const InspectReport& report, FormatProfile profile) {
    if (report.volumes.empty()) return std::nullopt;
    if (profile == FormatProfile::sd) return 0;
    const auto largest = std::ranges::max_element(report.volumes, {}, &InspectedVolume::length);
    return static_cast<std::size_t>(largest - report.volumes.begin());
}

std::optional<FileSystem> made_file_system(const InspectReport& report, std::optional<std::size_t> main) {
    if (!main || report.volumes[*main].file_system.empty()) return std::nullopt;
    const auto fs = file_system_from(report.volumes[*main].file_system);
    return fs ? std::optional(*fs) : std::nullopt;
}

/// "exfat, fat32": names that spec_for() accepts for this medium.
std::vector<std::string> made_by(FormatProfile profile, const InspectReport& report) {
    std::vector<std::string> names;
    for (const std::string& name : file_system_names())
        if (const auto fs = file_system_from(name); fs && spec_for(profile, report.size, report.sector_size, *fs))
            names.push_back(name);
    return names;
}

/// Compares a medium with the format that the profile makes on it.
class ProfileComparison {
public:
    ProfileComparison(const InspectReport& report, FormatProfile profile, const FormatSpec& spec, const TablePlan& plan)
        : report_(report), profile_(profile), spec_(spec), plan_(plan) {}

    std::vector<ProfileProperty> table() {
        const auto reserved =
            profile_ == FormatProfile::windows ? std::ranges::count_if(report_.volumes, is_reserved) : 0;
        const auto count = report_.volumes.size() - static_cast<std::size_t>(reserved);
        equal(detail::table_subject, "scheme", report_.scheme, std::string(name_of(plan_.scheme)));
        if (report_.scheme == "none") return std::move(properties_);
        equal(detail::table_subject, "partitions", std::to_string(count), std::to_string(plan_.partitions.size()));
        if (plan_.partitions.size() > 1 && report_.volumes.size() > 1) efi_partition();
        return std::move(properties_);
    }

    std::vector<ProfileProperty> volume(std::size_t index) {
        subject_ = detail::subject_of(index);
        volume_ = &report_.volumes[index];
        add("file_system", volume_->file_system, std::string(name_of(spec_.fs)), true);
        const bool partitioned = report_.scheme != "none";
        if (partitioned || profile_ == FormatProfile::sd) start();
        if (partitioned) length();
        if (partitioned) type();
        cluster();
        if (spec_.fs == FileSystem::exfat) exfat();
        if (is_fat(spec_.fs)) fat();
        if (is_hfs(spec_.fs)) hfs();
        if (spec_.fs == FileSystem::apfs) same("block_size", "4096");
        return std::move(properties_);
    }

private:
    void equal(const std::string& subject, const std::string& name, std::string found, std::string expected) {
        const bool met = found == expected;
        properties_.push_back({subject, name, std::move(found), std::move(expected), met});
    }
    void add(const std::string& name, std::string found, std::string expected, bool met) {
        properties_.push_back({subject_, name, std::move(found), std::move(expected), met});
    }
    /// Compares a parameter, unless the volume does not have it.
    void same(const char* name, const std::string& expected) {
        if (auto found = parameter(*volume_, name)) equal(subject_, name, std::move(*found), expected);
    }
    void same(const char* name, Bytes expected) {
        if (const auto found = number(*volume_, name))
            add(name, bytes_text({*found}), bytes_text(expected), Bytes{*found} == expected);
    }

    void efi_partition() {
        const InspectedVolume& efi = report_.volumes.front();
        const PlannedPartition& planned = plan_.partitions.front();
        const std::string subject = detail::subject_of(0);
        equal(subject, "start", bytes_text(efi.start), bytes_text(planned.start));
        equal(subject, "length", bytes_text(efi.length), bytes_text(planned.length));
        equal(subject, "partition_type", parameter(efi, "partition_type").value_or("none"), std::string(planned.type));
    }

    [[nodiscard]] Bytes unit() const {
        const auto layout = sd_layout_for(report_.size);
        return profile_ == FormatProfile::sd && layout ? layout->boundary_unit : 0_B;
    }
    /// Windows may put its reserved partition before the volume.
    [[nodiscard]] Bytes planned_start() const {
        Bytes start = plan_.main().start;
        if (profile_ == FormatProfile::windows)
            for (const InspectedVolume& other : report_.volumes)
                if (is_reserved(other) && other.start < volume_->start)
                    start = align_up(other.start + other.length, usual_start);
        return start;
    }
    void start() {
        const Bytes found = volume_->start;
        if (profile_ != FormatProfile::sd)
            return equal(subject_, "start", bytes_text(found), bytes_text(planned_start()));
        // FAT12 and FAT16 put the data area on a boundary unit, which determines the start of the partition.
        if (spec_.fs != FileSystem::exfat && spec_.fs != FileSystem::fat32) return;
        add("start", bytes_text(found),
            (found == 0_B ? "after a partition table, at a multiple of " : "a multiple of ") + bytes_text(unit()),
            found % unit() == 0_B && found != 0_B);
    }
    void length() {
        const Bytes planned = plan_.main().start + plan_.main().length, end = volume_->start + volume_->length;
        const Bytes expected = planned > volume_->start ? planned - volume_->start : 0_B;
        add("length", bytes_text(volume_->length), bytes_text(expected),
            (planned > end ? planned - end : end - planned) < std::max(free_for_alignment, unit()));
    }
    void type() {
        const auto found = parameter(*volume_, "partition_type");
        if (!found) return;
        const auto expected = plan_.scheme == TableScheme::gpt ? std::optional(gpt_type_of(spec_.fs))
                                                               : mbr_type_of(spec_.fs, volume_->start, volume_->length);
        if (!expected || report_.scheme != name_of(plan_.scheme)) return;
        // Systems treat the FAT types of an MBR as one family; only the SD layout names one of them.
        constexpr std::array<std::string_view, 6> family{"0x01", "0x04", "0x06", "0x0b", "0x0c", "0x0e"};
        const bool in_family =
            profile_ != FormatProfile::sd && is_fat(spec_.fs) && std::ranges::find(family, *found) != family.end();
        add("partition_type", *found, std::string(*expected), *found == *expected || in_family);
    }
    void cluster() {
        if (is_hfs(spec_.fs)) return;
        if (const auto size = profile_cluster(profile_, spec_.fs, report_.size, volume_->length))
            same("cluster_size", *size);
    }
    void exfat() {
        if (spec_.boundary) same("fat_offset", *spec_.boundary);
        const auto offset = number(*volume_, "fat_offset"), length = number(*volume_, "fat_length"),
                   heap = number(*volume_, "cluster_heap_offset");
        if (heap && profile_ == FormatProfile::sd) on_unit("cluster_heap_offset", {*heap});
        // If the FAT does not begin at the boundary, it has another length.
        if (spec_.fat_length && profile_ == FormatProfile::sd && offset && Bytes{*offset} == *spec_.boundary)
            same("fat_length", *spec_.fat_length);
        if (profile_ != FormatProfile::macos || !offset || !length || !heap) return;
        add("fat_length", bytes_text({*length}), "a multiple of " + bytes_text(macos_exfat_step),
            Bytes{*length} % macos_exfat_step == 0_B);
        same("cluster_heap_offset", Bytes{*offset + *length});
    }
    void on_unit(const char* name, Bytes offset) {
        const Bytes on_medium = volume_->start + offset;
        add(name, fmt::format("{} on the medium", bytes_text(on_medium)), "a multiple of " + bytes_text(unit()),
            on_medium % unit() == 0_B);
    }
    void fat() {
        if (const auto data = number(*volume_, "data_offset"); data && profile_ == FormatProfile::sd)
            on_unit("data_offset", {*data});
        // If the volume has another start, the gap before the data area has another length.
        if (spec_.reserved_sectors && volume_->start == plan_.main().start)
            same("reserved_sectors", std::to_string(*spec_.reserved_sectors));
    }
    void hfs() {
        same("journaled", "yes");
        const auto layout = hfsplus::plan_volume(volume_->length, {report_.sector_size}, {.volume_id = 1});
        if (!layout) return;
        same("block_size", layout->block_size);
        if (layout->journal) same("journal_size", layout->length_of(*layout->journal));
        same("catalog_node_size", Bytes{layout->catalog.node_size});
        same("extents_node_size", Bytes{layout->extents.node_size});
        same("attributes_node_size", Bytes{layout->attributes.node_size});
    }

    const InspectReport& report_;
    FormatProfile profile_;
    const FormatSpec& spec_;
    const TablePlan& plan_;
    std::string subject_;
    const InspectedVolume* volume_{};
    std::vector<ProfileProperty> properties_;
};

/// With another file system than those of the profile, only the table is compared.
Result<std::vector<ProfileProperty>> compared(const InspectReport& report, FormatProfile profile,
                                              std::optional<std::size_t> main) {
    const auto fs = made_file_system(report, main);
    auto spec = spec_for(profile, report.size, report.sector_size, fs);
    const bool is_made = fs && spec;
    if (!spec) spec = spec_for(profile, report.size, report.sector_size, {});
    if (!spec) return fail(spec.error());
    const auto plan = plan_table(*spec->partition, spec->fs, report.size, {report.sector_size});
    if (!plan) return fail(plan.error());
    ProfileComparison comparison(report, profile, *spec, *plan);
    std::vector<ProfileProperty> properties = comparison.table();
    if (!is_made) return properties;
    std::ranges::move(comparison.volume(*main), std::back_inserter(properties));
    return properties;
}

/// Skips a volume without a known file system; other rules report it. Returns true if it adds a deviation.
bool check_mounted(const InspectedVolume& volume, const std::string& subject, FormatProfile profile, Finder& finder) {
    const std::string& file_system = volume.file_system;
    if (file_system.empty()) return false;
    const auto is_one_of = [&](const auto& names) { return std::ranges::find(names, file_system) != names.end(); };
    if (profile == FormatProfile::windows && !is_one_of(of_windows))
        finder.add(subject, "file_system", file_system, fmt::format("{}", fmt::join(of_windows, ", ")),
                   not_of_windows_rule);
    else if (profile == FormatProfile::macos && !is_one_of(of_macos))
        finder.add(subject, "file_system", file_system, fmt::format("{}", fmt::join(of_macos, ", ")),
                   not_of_macos_rule);
    else if (profile == FormatProfile::linux && is_one_of(not_of_linux))
        finder.add(subject, "file_system", file_system, "a file system that Linux mounts", not_of_linux_rule);
    else
        return false;
    return true;
}

/// On a card every other file system is a deviation; on other media only one that `format` makes, but not by the
/// profile.
void check_made(const InspectReport& report, std::size_t main, FormatProfile profile,
                const std::vector<std::string>& made, std::vector<Deviation>& found) {
    const InspectedVolume& volume = report.volumes[main];
    const std::string& name = volume.file_system;
    const auto fs = made_file_system(report, main);
    if (made.empty() || std::ranges::find(made, name) != made.end() || (profile != FormatProfile::sd && !fs)) return;
    ProfileProperty property{.subject = detail::subject_of(main),
                             .name = "file_system",
                             .found = name.empty() ? "none known" : name,
                             .expected = fmt::format("{}", fmt::join(made, ", "))};
    const FormatRule rule = rule_of(profile, property);
    Finder(found).add(property.subject, property.name, property.found, property.expected, rule);
    if (const auto refused = fs ? spec_for(profile, report.size, report.sector_size, fs) : Result<FormatSpec>{};
        !refused && profile != FormatProfile::sd)
        found.back().reason = refused.error().detail;
}

} // namespace

Result<std::vector<ProfileProperty>> profile_properties(const InspectReport& report, FormatProfile profile) {
    return compared(report, profile, main_volume(report, profile));
}

std::vector<Deviation> profile_deviations(const InspectReport& report, FormatProfile profile) {
    std::vector<Deviation> found;
    Finder finder(found);
    const auto main = main_volume(report, profile);
    const std::vector<std::string> made = made_by(profile, report);
    if (made.empty()) {
        const auto refused = spec_for(profile, report.size, report.sector_size, {});
        finder.add("medium", "size", bytes_text(report.size), "a medium with a published layout",
                   {DeviationSeverity::note, "nothing was compared", "the profile", Certainty::published});
        if (!refused) found.back().reason = refused.error().detail;
    }
    const auto properties = profile_properties(report, profile);
    const auto add = [&](bool of_table) {
        if (!properties) return;
        for (const ProfileProperty& property : *properties)
            if (!property.met && (property.subject == detail::table_subject) == of_table)
                finder.add(property.subject, property.name, property.found, property.expected,
                           rule_of(profile, property));
    };
    add(true);
    if (main && !check_mounted(report.volumes[*main], detail::subject_of(*main), profile, finder))
        check_made(report, *main, profile, made, found);
    add(false);
    return found;
}

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/conformance/profile.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "host/media/conformance/finder.hpp"

namespace mediarig::media {
namespace {

constexpr detail::FormatRule maker_rule{DeviationSeverity::warning, "the maker's profile has another value",
                                        "the profile", Certainty::custom};

/// Values that differ between media of one kind, or change with use.
const std::set<std::string> not_in_a_profile{"serial_number",
                                             "volume_uuid",
                                             "container_uuid",
                                             "volume_guid",
                                             "partition_guid",
                                             "disk_guid",
                                             "disk_signature",
                                             "created",
                                             "modified",
                                             "checked",
                                             "free_clusters",
                                             "free_blocks",
                                             "free_clusters_hint",
                                             "boot_checksum",
                                             "checkpoint_transaction",
                                             "next_allocation",
                                             "next_catalog_id",
                                             "write_count",
                                             "volume_files",
                                             "volume_snapshots",
                                             "file_count",
                                             "folder_count",
                                             "block_zero_is_live",
                                             "volume_allocated_blocks",
                                             "journal_initialised",
                                             "volume_dirty",
                                             "dirty_in_boot_sector",
                                             "used_clusters",
                                             "bad_clusters",
                                             "percent_in_use",
                                             "volume_flags",
                                             "next_free_hint",
                                             "hard_error",
                                             "attributes",
                                             "backed_up",
                                             "encodings",
                                             "journal_start",
                                             "journal_end",
                                             "journal_needs_replay",
                                             "journal_checksum",
                                             "journal_byte_order",
                                             "extents_free_nodes",
                                             "catalog_free_nodes",
                                             "attributes_free_nodes",
                                             "extents_leaf_records",
                                             "catalog_leaf_records",
                                             "attributes_leaf_records",
                                             "extents_tree_depth",
                                             "catalog_tree_depth",
                                             "attributes_tree_depth",
                                             "checkpoints",
                                             "checkpoint_block",
                                             "damaged_superblocks",
                                             "block_zero_transaction",
                                             "next_transaction",
                                             "volume_formatted",
                                             "volume_modified",
                                             "volume_modified_by",
                                             "volume_modified_by_when",
                                             "volume_modifiers",
                                             "volume_unmounted",
                                             "volume_folders",
                                             "header_checksum",
                                             "entries_checksum"};

/// Maps parameters of later volumes of an APFS container to those of the first volume: "volume_2_uuid" is treated as
/// "volume_uuid".
std::string as_of_the_first(const std::string& name) {
    constexpr std::string_view prefix = "volume_";
    if (!name.starts_with(prefix)) return name;
    const std::size_t end = name.find_first_not_of("0123456789", prefix.size());
    if (end == std::string::npos || end == prefix.size() || name[end] != '_') return name;
    return std::string(prefix) + name.substr(end + 1);
}

std::string value_of(const InspectedVolume& volume, const std::string& name) {
    if (name == "start") return std::to_string(volume.start.count);
    if (name == "length") return std::to_string(volume.length.count);
    if (name == "file_system") return volume.file_system;
    if (name == "label") return volume.label;
    return parameter(volume, name).value_or("(none)");
}

} // namespace

Profile profile_from(const InspectReport& golden, std::string name) {
    std::vector<std::vector<RequiredValue>> volumes;
    for (const InspectedVolume& volume : golden.volumes) {
        std::vector<RequiredValue> expected;
        for (const char* own : {"start", "length", "file_system", "label"})
            expected.push_back({.name = own, .value = value_of(volume, own)});
        for (const auto& [parameter_name, value] : volume.parameters)
            if (!not_in_a_profile.contains(as_of_the_first(parameter_name)))
                expected.push_back({.name = parameter_name, .value = value});
        volumes.push_back(std::move(expected));
    }
    return {.name = std::move(name), .size = golden.size, .scheme = golden.scheme, .volumes = std::move(volumes)};
}

std::vector<Deviation> deviations_from(const Profile& profile, const InspectReport& report) {
    std::vector<Deviation> found;
    detail::Finder finder(found);
    if (profile.size && *profile.size != report.size)
        finder.add("medium", "size", std::to_string(report.size.count), std::to_string(profile.size->count),
                   maker_rule);
    finder.compare(detail::table_subject, "scheme", report.scheme, profile.scheme, maker_rule);
    const std::vector<std::vector<RequiredValue>> none;
    const auto& volumes = profile.volumes ? *profile.volumes : none;
    if (profile.volumes && volumes.size() != report.volumes.size())
        finder.add(detail::table_subject, "partitions", std::to_string(report.volumes.size()),
                   std::to_string(volumes.size()), maker_rule);
    for (std::size_t i = 0; i < std::min(volumes.size(), report.volumes.size()); ++i)
        for (const RequiredValue& expected : volumes[i]) {
            detail::FormatRule rule = maker_rule;
            rule.severity = expected.severity;
            finder.compare(detail::subject_of(i), expected.name, value_of(report.volumes[i], expected.name),
                           expected.value, rule);
        }
    std::ranges::stable_sort(found, std::ranges::greater{}, &Deviation::severity);
    return found;
}

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/expect/profile.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "host/media/expect/finder.hpp"
#include "host/media/format/json_fields.hpp"

namespace mediarig::media {
namespace {

using nlohmann::json;

constexpr detail::Rule maker_rule{Severity::warning, "the maker's profile has another value", "the profile",
                                  Certainty::custom};

/// Differ from one medium to the next, or change as a medium is used.
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

Result<Severity> severity_from(const std::string& name) {
    for (const Severity severity : {Severity::note, Severity::warning, Severity::error})
        if (name_of(severity) == name) return severity;
    return fail(Errc::bad_request, "take note, warning or error");
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
    Profile profile{.name = std::move(name), .size = golden.size, .scheme = golden.scheme, .volumes = {}};
    for (const InspectedVolume& volume : golden.volumes) {
        std::vector<Expected> expected;
        for (const char* own : {"start", "length", "file_system", "label"})
            expected.push_back({.name = own, .value = value_of(volume, own)});
        for (const auto& [parameter_name, value] : volume.parameters)
            if (!not_in_a_profile.contains(parameter_name))
                expected.push_back({.name = parameter_name, .value = value});
        profile.volumes.push_back(std::move(expected));
    }
    return profile;
}

json to_json(const Profile& profile) {
    json volumes = json::array();
    for (const auto& volume : profile.volumes) {
        json values = json::array();
        for (const Expected& expected : volume)
            values.push_back(
                {{"name", expected.name}, {"value", expected.value}, {"severity", name_of(expected.severity)}});
        volumes.push_back(std::move(values));
    }
    json object{{"mediarig_profile", 1}, {"name", profile.name}, {"scheme", profile.scheme}, {"volumes", volumes}};
    if (profile.size) object["size"] = profile.size->count;
    return object;
}

Result<Profile> profile_from_json(std::string_view text) {
    const auto wrong = [](const std::string& path, const std::string& why) {
        return fail(Errc::bad_request, path + ": " + why);
    };
    const json object = json::parse(text, nullptr, false);
    if (object.is_discarded()) return wrong("/", "this is not JSON");
    if (!object.is_object() || object.value("mediarig_profile", json()) != json(1))
        return wrong("/mediarig_profile", "a profile begins with \"mediarig_profile\": 1");
    for (const auto& [key, value] : object.items())
        if (!std::set<std::string>{"mediarig_profile", "name", "size", "scheme", "volumes"}.contains(key))
            return wrong("/" + key, "no such member");
    detail::JsonFields fields(object, "");
    Profile profile{.name = fields.text("name"), .size = {}, .scheme = fields.text("scheme"), .volumes = {}};
    if (const auto size = fields.maybe_number("size")) profile.size = Bytes{*size};
    const json& volumes = fields.list("volumes");
    if (fields.fault()) return fail(Errc::bad_request, fields.fault()->detail);
    for (std::size_t i = 0; i < volumes.size(); ++i) {
        const std::string at = fmt::format("/volumes/{}", i);
        if (!volumes[i].is_array()) return wrong(at, "not a list of expected values");
        std::vector<Expected> expected;
        for (std::size_t k = 0; k < volumes[i].size(); ++k) {
            detail::JsonFields value(volumes[i][k], fmt::format("{}/{}", at, k));
            Expected one{.name = value.text("name"), .value = value.text("value")};
            const std::string severity = value.text_or_empty("severity");
            if (value.fault()) return fail(Errc::bad_request, value.fault()->detail);
            if (!severity.empty()) {
                const auto parsed = severity_from(severity);
                if (!parsed) return wrong(fmt::format("{}/{}/severity", at, k), parsed.error().detail);
                one.severity = *parsed;
            }
            expected.push_back(std::move(one));
        }
        profile.volumes.push_back(std::move(expected));
    }
    return profile;
}

std::vector<Deviation> deviations_from(const Profile& profile, const InspectReport& report) {
    std::vector<Deviation> found;
    detail::Finder finder(found);
    if (profile.size && *profile.size != report.size)
        finder.add("medium", "size", std::to_string(report.size.count), std::to_string(profile.size->count),
                   maker_rule);
    finder.compare(detail::table_subject, "scheme", report.scheme, profile.scheme, maker_rule);
    if (profile.volumes.size() != report.volumes.size())
        finder.add(detail::table_subject, "partitions", std::to_string(report.volumes.size()),
                   std::to_string(profile.volumes.size()), maker_rule);
    for (std::size_t i = 0; i < std::min(profile.volumes.size(), report.volumes.size()); ++i)
        for (const Expected& expected : profile.volumes[i]) {
            detail::Rule rule = maker_rule;
            rule.severity = expected.severity;
            finder.compare(detail::subject_of(i), expected.name, value_of(report.volumes[i], expected.name),
                           expected.value, rule);
        }
    std::ranges::stable_sort(found, std::ranges::greater{}, &Deviation::severity);
    return found;
}

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "host/media/format/format.hpp"
#include "host/media/format/json_fields.hpp"

namespace mediarig::media {
namespace {

using nlohmann::json;

struct Row {
    FileSystem fs;
    std::string_view name, title;
};
constexpr std::array rows{
    Row{FileSystem::exfat, "exfat", "exFAT"},
    Row{FileSystem::apfs, "apfs", "APFS"},
    Row{FileSystem::hfs_plus_journaled, "hfs+j", "HFS+ Journaled"},
    Row{FileSystem::hfs_plus, "hfs+", "HFS+"},
    Row{FileSystem::hfsx_journaled, "hfsx+j", "HFSX Journaled"},
    Row{FileSystem::fat32, "fat32", "FAT32"},
};

const Row& row_of(FileSystem fs) {
    const auto* const found = std::find_if(rows.begin(), rows.end(), [fs](const Row& row) { return row.fs == fs; });
    return found == rows.end() ? rows.front() : *found;
}

FileSystem read_fs(detail::JsonFields& fields) {
    const auto fs = file_system_from(fields.text("fs"));
    if (!fs) fields.refuse("fs", fs.error().detail);
    return fs.value_or(FileSystem::exfat);
}

constexpr std::uint64_t latest_creation = 0xFFFF'FFFF; // seconds since 1970; each formatter has its own limit below

/// Sixteen hexadecimal digits: more than a JSON number holds exactly.
std::optional<std::uint64_t> read_volume_id(detail::JsonFields& fields) {
    const std::string text = fields.text_or_empty("volume_id");
    if (text.empty()) return std::nullopt;
    std::uint64_t value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (failed != std::errc() || end != text.data() + text.size() || text.size() != 16) {
        fields.refuse("volume_id", "not sixteen hexadecimal digits");
        return std::nullopt;
    }
    return value;
}

} // namespace

std::string hfs_plus_member(const FormatSpec& spec) {
    return spec.journal_size ? "journal_size" : spec.volume_id ? "volume_id" : spec.created ? "created" : "";
}

std::string_view name_of(FileSystem fs) {
    return row_of(fs).name;
}
std::string_view title_of(FileSystem fs) {
    return row_of(fs).title;
}

Result<FileSystem> file_system_from(std::string_view name) {
    std::string known;
    for (const Row& row : rows) {
        if (row.name == name) return row.fs;
        known += (known.empty() ? "" : ", ") + std::string(row.name);
    }
    return fail(Errc::bad_request, "unknown file system '" + std::string(name) + "': use one of " + known);
}

json to_json(const FormatSpec& spec) {
    json object{{"fs", name_of(spec.fs)}};
    if (spec.cluster_size) object["cluster_size"] = spec.cluster_size->count;
    if (!spec.label.empty()) object["label"] = spec.label;
    if (spec.journal_size) object["journal_size"] = spec.journal_size->count;
    if (spec.volume_id) object["volume_id"] = fmt::format("{:016x}", *spec.volume_id);
    if (spec.created) object["created"] = spec.created->time_since_epoch().count();
    return object;
}

Result<FormatSpec> format_spec_from_json(const json& object) {
    detail::JsonFields fields(object, "format");
    FormatSpec spec{.fs = read_fs(fields), .cluster_size = {}, .label = fields.text_or_empty("label")};
    if (const auto size = fields.maybe_number("cluster_size")) spec.cluster_size = Bytes{*size};
    if (const auto size = fields.maybe_number("journal_size")) spec.journal_size = Bytes{*size};
    spec.volume_id = read_volume_id(fields);
    if (const auto seconds = fields.maybe_number("created")) {
        if (*seconds > latest_creation) fields.refuse("created", "too large");
        spec.created = std::chrono::sys_seconds(std::chrono::seconds(*seconds & latest_creation));
    }
    if (fields.fault()) return fail(*fields.fault());
    return spec;
}

json to_json(const FormatReport& report) {
    return {{"fs", name_of(report.fs)},
            {"tool", report.tool},
            {"tool_version", report.tool_version},
            {"arguments", report.arguments},
            {"parameters", detail::parameters_json(report.parameters)},
            {"usable", report.usable.count},
            {"elapsed_ns", report.elapsed.count()}};
}

Result<FormatReport> format_report_from_json(const json& object) {
    detail::JsonFields fields(object, "format report");
    FormatReport report{.fs = read_fs(fields),
                        .tool = fields.text("tool"),
                        .tool_version = fields.text("tool_version"),
                        .arguments = fields.texts("arguments"),
                        .parameters = fields.parameters("parameters"),
                        .usable = {fields.number("usable")},
                        .elapsed = {}};
    const std::uint64_t elapsed = fields.number("elapsed_ns");
    if (elapsed > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) fields.refuse("elapsed_ns", "too large");
    report.elapsed = std::chrono::nanoseconds(static_cast<std::int64_t>(elapsed));
    if (fields.fault()) return fail(*fields.fault());
    return report;
}

json to_json(const CheckReport& report) {
    return {
        {"tool", report.tool}, {"tool_version", report.tool_version}, {"clean", report.clean}, {"said", report.said}};
}

Result<CheckReport> check_report_from_json(const json& object) {
    detail::JsonFields fields(object, "check report");
    CheckReport report{.tool = fields.text("tool"),
                       .tool_version = fields.text("tool_version"),
                       .clean = fields.flag("clean"),
                       .said = fields.texts("said")};
    if (fields.fault()) return fail(*fields.fault());
    return report;
}

} // namespace mediarig::media

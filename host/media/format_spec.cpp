// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "host/media/format_spec.hpp"
#include "host/media/json_fields.hpp"
#include "host/media/volume_span.hpp"

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
    Row{FileSystem::fat16, "fat16", "FAT16"},
    Row{FileSystem::fat12, "fat12", "FAT12"},
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

constexpr std::uint64_t most_reserved_sectors = 0xFFFF; // a field of 16 bits
constexpr std::uint64_t latest_creation = 0xFFFF'FFFF;  // seconds since 1970; each formatter has its own limit below

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

constexpr std::array<std::string_view, 3> scheme_names{"none", "mbr", "gpt"};

/// Of a partition: there is no partition without a table.
TableScheme read_table(detail::JsonFields& fields) {
    const auto scheme = table_scheme_from(fields.text("table"));
    if (!scheme || *scheme == TableScheme::none) fields.refuse("table", "not mbr or gpt");
    return scheme.value_or(TableScheme::mbr);
}

json to_json(const PartitionSpec& partition) {
    json object{{"table", name_of(partition.table)}};
    if (partition.start) object["start"] = partition.start->count;
    if (partition.length) object["length"] = partition.length->count;
    if (partition.efi_system_partition) object["efi_system_partition"] = true;
    return object;
}

Result<PartitionSpec> partition_spec_from_json(const json& object) {
    detail::JsonFields fields(object, "format.partition");
    PartitionSpec partition{.table = read_table(fields)};
    if (const auto start = fields.maybe_number("start")) partition.start = Bytes{*start};
    if (const auto length = fields.maybe_number("length")) partition.length = Bytes{*length};
    if (object.is_object() && object.contains("efi_system_partition"))
        partition.efi_system_partition = fields.flag("efi_system_partition");
    if (fields.fault()) return fail(*fields.fault());
    return partition;
}

json to_json(const MadePartition& made) {
    return {{"table", name_of(made.table)}, {"number", made.number}, {"start", made.start.count},
            {"length", made.length.count},  {"tool", made.tool},     {"tool_version", made.tool_version}};
}

Result<MadePartition> made_partition_from_json(const json& object) {
    detail::JsonFields fields(object, "format report.partition");
    MadePartition made{.table = read_table(fields),
                       .number = {},
                       .start = {fields.number("start")},
                       .length = {fields.number("length")},
                       .tool = fields.text("tool"),
                       .tool_version = fields.text("tool_version")};
    const std::uint64_t number = fields.number("number");
    if (number == 0 || number > highest_partition) fields.refuse("number", "not a partition's number");
    made.number = static_cast<std::uint32_t>(number);
    if (fields.fault()) return fail(*fields.fault());
    return made;
}

} // namespace

std::string_view name_of(TableScheme scheme) {
    return scheme_names[static_cast<std::size_t>(scheme)];
}

Result<TableScheme> table_scheme_from(std::string_view name) {
    const auto* const found = std::find(scheme_names.begin(), scheme_names.end(), name);
    if (found != scheme_names.end()) return static_cast<TableScheme>(found - scheme_names.begin());
    return fail(Errc::bad_request, "unknown partition table '" + std::string(name) + "': use one of none, mbr, gpt");
}

std::string foreign_member(const FormatSpec& spec) {
    const std::string_view fs = name_of(spec.fs);
    const bool exfat = spec.fs == FileSystem::exfat;
    const bool fat = fs.starts_with("fat"), hfs = fs.starts_with("hfs");
    if (spec.journal_size && !hfs) return "journal_size";
    if (spec.volume_id && !hfs) return "volume_id";
    if (spec.created && !hfs) return "created";
    if (spec.boundary && !exfat) return "boundary";
    if (spec.fat_length && !exfat) return "fat_length";
    if (spec.reserved_sectors && !fat) return "reserved_sectors";
    return "";
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
    if (spec.partition) object["partition"] = to_json(*spec.partition);
    if (spec.boundary) object["boundary"] = spec.boundary->count;
    if (spec.fat_length) object["fat_length"] = spec.fat_length->count;
    if (spec.reserved_sectors) object["reserved_sectors"] = *spec.reserved_sectors;
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
    if (const auto size = fields.maybe_number("boundary")) spec.boundary = Bytes{*size};
    if (const auto size = fields.maybe_number("fat_length")) spec.fat_length = Bytes{*size};
    if (const auto sectors = fields.maybe_number("reserved_sectors")) {
        if (*sectors > most_reserved_sectors) fields.refuse("reserved_sectors", "too large");
        spec.reserved_sectors = static_cast<std::uint32_t>(*sectors & most_reserved_sectors);
    }
    if (fields.fault()) return fail(*fields.fault());
    if (const auto found = object.find("partition"); found != object.end() && !found->is_null()) {
        auto partition = partition_spec_from_json(*found);
        if (!partition) return fail(partition.error());
        spec.partition = *partition;
    }
    return spec;
}

json to_json(const FormatReport& report) {
    json object{{"fs", name_of(report.fs)},
                {"tool", report.tool},
                {"tool_version", report.tool_version},
                {"arguments", report.arguments},
                {"parameters", detail::parameters_json(report.parameters)},
                {"usable", report.usable.count},
                {"elapsed_ns", report.elapsed.count()}};
    if (report.partition) object["partition"] = to_json(*report.partition);
    return object;
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
    if (const auto found = object.find("partition"); found != object.end() && !found->is_null()) {
        auto made = made_partition_from_json(*found);
        if (!made) return fail(made.error());
        report.partition = std::move(*made);
    }
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

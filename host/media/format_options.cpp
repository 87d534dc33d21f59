// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "host/base/enum_names.hpp"
#include "host/base/json/codec.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::codec {

/// Stored as an array: the order of the parameters matters, and a JSON object would lose it.
constexpr auto members_of(Tag<std::pair<std::string, std::string>>) {
    using Parameter = std::pair<std::string, std::string>;
    return members(member("name", &Parameter::first), member("value", &Parameter::second));
}

} // namespace mediarig::codec

namespace mediarig::media {
namespace {

using nlohmann::json;

struct FileSystemRow {
    FileSystem fs;
    std::string_view name, title;
};
constexpr std::array rows{
    FileSystemRow{FileSystem::exfat, "exfat", "exFAT"},
    FileSystemRow{FileSystem::apfs, "apfs", "APFS"},
    FileSystemRow{FileSystem::hfs_plus_journaled, "hfs+j", "HFS+ Journaled"},
    FileSystemRow{FileSystem::hfs_plus, "hfs+", "HFS+"},
    FileSystemRow{FileSystem::hfsx_journaled, "hfsx+j", "HFSX Journaled"},
    FileSystemRow{FileSystem::fat32, "fat32", "FAT32"},
    FileSystemRow{FileSystem::fat16, "fat16", "FAT16"},
    FileSystemRow{FileSystem::fat12, "fat12", "FAT12"},
};

const FileSystemRow& row_of(FileSystem fs) {
    const auto* const found =
        std::find_if(rows.begin(), rows.end(), [fs](const FileSystemRow& row) { return row.fs == fs; });
    return found == rows.end() ? rows.front() : *found;
}

constexpr std::uint64_t most_reserved_sectors = 0xFFFF; // a 16-bit field
constexpr std::uint64_t latest_creation = 0xFFFF'FFFF;  // seconds since 1970; the limit of HFS+ is lower

/// Sixteen hexadecimal digits, because JSON numbers are not exact for 64 bits.
json volume_id_json(const std::optional<std::uint64_t>& id) {
    return fmt::format("{:016x}", id.value_or(0));
}
Result<std::optional<std::uint64_t>> volume_id_from(const json& from) {
    const auto* text = from.get_ptr<const std::string*>();
    std::uint64_t value = 0;
    if (text == nullptr || text->size() != 16 ||
        std::from_chars(text->data(), text->data() + 16, value, 16).ptr != text->data() + 16)
        return fail(Errc::bad_format, "must be sixteen hexadecimal digits");
    return value;
}

/// Rejects "none": a partition needs a table.
Result<TableScheme> partition_table_from(std::string_view name) {
    auto scheme = from_name<TableScheme>(name);
    if (!scheme || *scheme == TableScheme::none) return fail(Errc::bad_format, "must be mbr or gpt");
    return scheme;
}

} // namespace

std::vector<std::string> file_system_names() {
    std::vector<std::string> names;
    names.reserve(rows.size());
    for (const FileSystemRow& row : rows) names.emplace_back(row.name);
    return names;
}

std::string foreign_member(const FormatSpec& spec) {
    const bool exfat = spec.fs == FileSystem::exfat, fat = is_fat(spec.fs), hfs = is_hfs(spec.fs);
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
    for (const FileSystemRow& row : rows) {
        if (same_word(row.name, name) || same_word(row.title, name)) return row.fs;
        known += (known.empty() ? "" : ", ") + std::string(row.name);
    }
    return fail(Errc::bad_request, "unknown file system '" + std::string(name) + "': use one of " + known);
}

bool is_fat(std::string_view found) {
    return found.starts_with("fat");
}
bool is_hfs(std::string_view found) {
    return found.starts_with("hfs");
}

std::optional<FileSystem> file_system_of_volume(std::string_view found) {
    // Also matches HFSX without a journal.
    if (found.starts_with("hfsx")) return FileSystem::hfsx_journaled;
    const auto known = file_system_from(found);
    return known ? std::optional(*known) : std::nullopt;
}

std::optional<FileSystem> file_system_of_kernel(std::string_view name) {
    if (name == "hfsplus") return FileSystem::hfs_plus_journaled;
    if (name == "vfat") return FileSystem::fat32;
    const auto known = file_system_from(name);
    return known ? std::optional(*known) : std::nullopt;
}

using codec::member;

constexpr auto members_of(codec::Tag<PartitionSpec>) {
    return codec::members(member("table", &PartitionSpec::table).named(partition_table_from),
                          member("start", &PartitionSpec::start), member("length", &PartitionSpec::length),
                          member("efi_system_partition", &PartitionSpec::efi_system_partition).unless_default());
}

constexpr auto members_of(codec::Tag<FormatSpec>) {
    return codec::members(
        member("fs", &FormatSpec::fs).named(file_system_from), member("cluster_size", &FormatSpec::cluster_size),
        member("label", &FormatSpec::label).unless_default(), member("journal_size", &FormatSpec::journal_size),
        member("volume_id", &FormatSpec::volume_id).shaped(volume_id_json, volume_id_from),
        member("created", &FormatSpec::created).at_most(latest_creation), member("partition", &FormatSpec::partition),
        member("boundary", &FormatSpec::boundary), member("fat_length", &FormatSpec::fat_length),
        member("reserved_sectors", &FormatSpec::reserved_sectors).at_most(most_reserved_sectors));
}

constexpr auto members_of(codec::Tag<CreatedPartition>) {
    return codec::members(member("table", &CreatedPartition::table).named(partition_table_from),
                          member("number", &CreatedPartition::number).at_least(1).at_most(highest_partition),
                          member("start", &CreatedPartition::start), member("length", &CreatedPartition::length),
                          member("tool", &CreatedPartition::tool),
                          member("tool_version", &CreatedPartition::tool_version));
}

constexpr auto members_of(codec::Tag<FormatReport>) {
    return codec::members(member("fs", &FormatReport::fs).named(file_system_from), member("tool", &FormatReport::tool),
                          member("tool_version", &FormatReport::tool_version),
                          member("arguments", &FormatReport::arguments).at_most(longest_list).or_default(),
                          member("parameters", &FormatReport::parameters).at_most(longest_list).or_default(),
                          member("usable", &FormatReport::usable), member("elapsed_ns", &FormatReport::elapsed),
                          member("partition", &FormatReport::partition));
}

constexpr auto members_of(codec::Tag<CheckReport>) {
    return codec::members(member("tool", &CheckReport::tool), member("tool_version", &CheckReport::tool_version),
                          member("clean", &CheckReport::clean),
                          member("said", &CheckReport::said).at_most(longest_list).or_default());
}

json to_json(const FormatSpec& spec) {
    return codec::encode(spec);
}
Result<FormatSpec> format_spec_from_json(const json& from) {
    return codec::decode<FormatSpec>(from, "format");
}
void read_form(const json& from, const codec::Path& at, FormatSpec& spec, codec::DecodeError& fault) {
    codec::read(from, at, spec, fault);
}

json to_json(const FormatReport& report) {
    return codec::encode(report);
}
Result<FormatReport> format_report_from_json(const json& from) {
    return codec::decode<FormatReport>(from, "format report");
}
void read_form(const json& from, const codec::Path& at, FormatReport& report, codec::DecodeError& fault) {
    codec::read(from, at, report, fault);
}
void check_form(const FormatReport& report, const codec::Path& at, codec::DecodeError& fault) {
    codec::check(report, at, fault);
}

json to_json(const CheckReport& report) {
    return codec::encode(report);
}
Result<CheckReport> check_report_from_json(const json& from) {
    return codec::decode<CheckReport>(from, "check report");
}
void read_form(const json& from, const codec::Path& at, CheckReport& report, codec::DecodeError& fault) {
    codec::read(from, at, report, fault);
}
void check_form(const CheckReport& report, const codec::Path& at, codec::DecodeError& fault) {
    codec::check(report, at, fault);
}

} // namespace mediarig::media

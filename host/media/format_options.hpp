// SPDX-License-Identifier: GPL-3.0-or-later
/// Options of a format, and its results, as the controller and the agent use them.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/units.hpp"
#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

using mediarig::name_of;

enum class FileSystem : std::uint8_t { exfat, apfs, hfs_plus_journaled, hfs_plus, hfsx_journaled, fat32, fat16, fat12 };
/// "exfat", "apfs", "hfs+j", "hfs+", "hfsx+j", "fat32", "fat16", "fat12": names on the command line and in plans.
[[nodiscard]] std::string_view name_of(FileSystem fs);
/// Display name of a file system: "exFAT", "APFS", "HFS+ Journaled", …
[[nodiscard]] std::string_view title_of(FileSystem fs);
[[nodiscard]] Result<FileSystem> file_system_from(std::string_view name);
[[nodiscard]] std::vector<std::string> file_system_names();

[[nodiscard]] constexpr bool is_fat(FileSystem fs) {
    return fs == FileSystem::fat32 || fs == FileSystem::fat16 || fs == FileSystem::fat12;
}
[[nodiscard]] constexpr bool is_hfs(FileSystem fs) {
    return fs == FileSystem::hfs_plus_journaled || fs == FileSystem::hfs_plus || fs == FileSystem::hfsx_journaled;
}
/// For values of InspectedVolume::file_system, which include file systems that mediarig does not make: "hfs",
/// "hfs_wrapper", "hfsx".
[[nodiscard]] bool is_fat(std::string_view found);
[[nodiscard]] bool is_hfs(std::string_view found);
/// File system type with which an inspected volume would be mounted.
[[nodiscard]] std::optional<FileSystem> file_system_of_volume(std::string_view found);
/// Converts names of the kernel and of blkid; "vfat" of any width becomes FAT32.
[[nodiscard]] std::optional<FileSystem> file_system_of_kernel(std::string_view name);

BOOST_DEFINE_FIXED_ENUM_CLASS(TableScheme, std::uint8_t, none, mbr, gpt)

/// The partition that contains the file system.
struct PartitionSpec {
    TableScheme table{TableScheme::mbr}; ///< kind of table; never `none`
    std::optional<Bytes> start;          ///< offset on the medium; unset: 1 MiB
    std::optional<Bytes> length;         ///< unset: to the end of the usable space
    /// GPT only: adds the EFI partition of macOS before the partition, an empty FAT32 of 200 MiB.
    bool efi_system_partition{};
    bool operator==(const PartitionSpec&) const = default;
};

struct FormatSpec {
    FileSystem fs{};
    std::optional<Bytes> cluster_size;
    std::string label; ///< empty: default of the formatter
    /// HFS+ only. If all of these members are given, two formats are identical to the byte. Defaults: by the size of
    /// the medium, random, current time.
    std::optional<Bytes> journal_size;
    std::optional<std::uint64_t> volume_id; ///< stored on the medium, not 0; the displayed UUID is derived from it
    std::optional<std::chrono::sys_seconds> created;
    std::optional<PartitionSpec> partition;        ///< unset: the file system uses the whole medium, without a table
    std::optional<Bytes> boundary;                 ///< exFAT only: alignment of FAT and cluster heap on the medium
    std::optional<Bytes> fat_length;               ///< exFAT only: may be longer than needed, at most up to the heap
    std::optional<std::uint32_t> reserved_sectors; ///< FAT only: number of sectors before the first FAT
    bool operator==(const FormatSpec&) const = default;
};

/// The partition that contains the file system, as read back from the table.
struct CreatedPartition {
    TableScheme table{};
    std::uint32_t number{}; ///< position in the table, from 1
    Bytes start, length;
    std::string tool, tool_version;
    bool operator==(const CreatedPartition&) const = default;
};

/// The file system that was made, as read back from the medium. `parameters` contains plain numbers and strings under
/// stable names ("cluster_size", "fat_offset", …; bytes unless the name has another unit).
struct FormatReport {
    FileSystem fs{};
    std::string tool, tool_version;
    std::vector<std::string> arguments; ///< as passed to the tool, without its name
    std::vector<std::pair<std::string, std::string>> parameters;
    Bytes usable; ///< space for files in the empty file system
    std::chrono::nanoseconds elapsed{};
    std::optional<CreatedPartition> partition; ///< unset: the file system uses the whole medium
    bool operator==(const FormatReport&) const = default;
};

struct CheckReport {
    std::string tool, tool_version;
    bool clean{};
    std::vector<std::string> said; ///< output lines of the tool, at most 50
    bool operator==(const CheckReport&) const = default;
};

/// Name of the first set member of `spec` that its file system does not support; otherwise "".
[[nodiscard]] std::string foreign_member(const FormatSpec& spec);

[[nodiscard]] nlohmann::json to_json(const FormatSpec& spec);
[[nodiscard]] Result<FormatSpec> format_spec_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const FormatReport& report);
[[nodiscard]] Result<FormatReport> format_report_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const CheckReport& report);
[[nodiscard]] Result<CheckReport> check_report_from_json(const nlohmann::json& json);

} // namespace mediarig::media

namespace mediarig::codec {

/// For records that contain the records of this folder; see host/base/json/codec.hpp.
struct Path;
class DecodeError;
} // namespace mediarig::codec

namespace mediarig::media {

/// mediarig never writes longer lists; input with more entries is invalid.
inline constexpr std::size_t longest_list = 4096;

void read_form(const nlohmann::json& from, const codec::Path& at, Medium& medium, codec::DecodeError& fault);
void read_form(const nlohmann::json& from, const codec::Path& at, SmartReport& report, codec::DecodeError& fault);
void read_form(const nlohmann::json& from, const codec::Path& at, CardHealth& health, codec::DecodeError& fault);
void read_form(const nlohmann::json& from, const codec::Path& at, FormatSpec& spec, codec::DecodeError& fault);
void read_form(const nlohmann::json& from, const codec::Path& at, FormatReport& report, codec::DecodeError& fault);
void read_form(const nlohmann::json& from, const codec::Path& at, CheckReport& report, codec::DecodeError& fault);
/// Checks that a value can be read back, without conversion to JSON.
void check_form(const Medium& medium, const codec::Path& at, codec::DecodeError& fault);
void check_form(const FormatReport& report, const codec::Path& at, codec::DecodeError& fault);
void check_form(const CheckReport& report, const codec::Path& at, codec::DecodeError& fault);

} // namespace mediarig::media

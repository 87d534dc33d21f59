// SPDX-License-Identifier: GPL-3.0-or-later
/// Makes a file system on a claimed medium, reads its parameters back from the medium, and checks it.
#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/measure/finding.hpp"
#include "host/media/claim.hpp"
#include "host/result.hpp"

namespace mediarig::media {

enum class FileSystem : std::uint8_t { exfat, apfs, hfs_plus_journaled, hfs_plus, hfsx_journaled, fat32 };
/// "exfat", "apfs", "hfs+j", "hfs+", "hfsx+j", "fat32": as on the command line and in plans.
[[nodiscard]] std::string_view name_of(FileSystem fs);
/// As people read it: "exFAT", "APFS", "HFS+ Journaled", …
[[nodiscard]] std::string_view title_of(FileSystem fs);
[[nodiscard]] Result<FileSystem> file_system_from(std::string_view name);

struct FormatSpec {
    FileSystem fs{};
    std::optional<Bytes> cluster_size;
    std::string label; ///< empty = the formatter's default
    /// HFS+ only; given, they make a format repeatable to the byte. Nothing = by the size of the medium, at random,
    /// now.
    std::optional<Bytes> journal_size;
    std::optional<std::uint64_t> volume_id; ///< on the medium; the UUID that people see is made from it. Not 0
    std::optional<std::chrono::sys_seconds> created;
    bool operator==(const FormatSpec&) const = default;
};

/// What was made, as read back from the medium. `parameters` holds plain numbers and strings under stable names
/// ("cluster_size", "fat_offset", …; bytes unless the name says otherwise).
struct FormatReport {
    FileSystem fs{};
    std::string tool, tool_version;
    std::vector<std::string> arguments; ///< as given to the tool, without its name
    std::vector<std::pair<std::string, std::string>> parameters;
    Bytes usable; ///< what the file system offers for files, when empty
    std::chrono::nanoseconds elapsed{};
    bool operator==(const FormatReport&) const = default;
};

struct CheckReport {
    std::string tool, tool_version;
    bool clean{};
    std::vector<std::string> said; ///< the tool's lines, at most 50
    bool operator==(const CheckReport&) const = default;
};

/// Port: one per family of formats.
class Formatter {
public:
    virtual ~Formatter() = default;
    [[nodiscard]] virtual bool handles(FileSystem fs) const = 0;
    /// Fails with no_driver (tool missing; names the package), bad_request (impossible parameter, medium too small),
    /// io_failed, refused (recheck failed), cancelled.
    [[nodiscard]] virtual Result<FormatReport> format(ErasableMedium& medium, Discovery& discovery,
                                                      const FormatSpec& spec) = 0;
    /// Read-only. A damaged file system is `clean == false`, not an error.
    [[nodiscard]] virtual Result<CheckReport> check(const ErasableMedium& medium, FileSystem fs) = 0;
};

/// Names the first member of `spec` that only HFS+ takes and that is set, else "".
[[nodiscard]] std::string hfs_plus_member(const FormatSpec& spec);

[[nodiscard]] nlohmann::json to_json(const FormatSpec& spec);
[[nodiscard]] Result<FormatSpec> format_spec_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const FormatReport& report);
[[nodiscard]] Result<FormatReport> format_report_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const CheckReport& report);
[[nodiscard]] Result<CheckReport> check_report_from_json(const nlohmann::json& json);

} // namespace mediarig::media

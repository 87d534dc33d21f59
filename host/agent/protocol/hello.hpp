// SPDX-License-Identifier: GPL-3.0-or-later
/// What both sides say first. Pure; crosses the wire as JSON.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/result.hpp"

namespace mediarig::agent {

/// Grows by one whenever an older peer could misunderstand a message; new optional members do not count.
inline constexpr std::uint32_t protocol_version = 1;

/// Members of a FormatSpec that came after the first agents. One that does not know a member ignores it, and would
/// make something else without a word.
inline constexpr std::array<std::string_view, 4> later_format_members{"partition", "boundary", "fat_length",
                                                                      "reserved_sectors"};

/// The same for the volume that `mount` and `check` are about: another volume would be taken.
inline constexpr std::array<std::string_view, 1> later_volume_members{"partition"};

struct HelloReport {
    std::uint32_t protocol{};
    std::string agent_version;
    std::string host_name;
    std::string kernel;          ///< "Linux 6.1.0-18-amd64"
    std::string cpu;             ///< as the machine calls it; empty where unknown
    std::uint32_t processors{1}; ///< that a measurement can run on
    bool privileged{};           ///< may claim, format and mount
    /// Every tool the agent knows to use and its version; nothing where it is not installed.
    std::map<std::string, std::optional<std::string>> tools;
    /// Which of later_format_members the agent knows; the first agents do not say.
    std::vector<std::string> format_members;
    /// Which of later_volume_members; likewise.
    std::vector<std::string> volume_members;
    bool operator==(const HelloReport&) const = default;
};

[[nodiscard]] nlohmann::json to_json(const HelloReport& report);
/// Fails with bad_format, naming the member.
[[nodiscard]] Result<HelloReport> hello_report_from_json(const nlohmann::json& json);

} // namespace mediarig::agent

// SPDX-License-Identifier: GPL-3.0-or-later
/// What both sides say first. Pure; crosses the wire as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "host/result.hpp"

namespace mediarig::agent {

/// Grows by one whenever an older peer could misunderstand a message; new optional members do not count.
inline constexpr std::uint32_t protocol_version = 1;

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
    bool operator==(const HelloReport&) const = default;
};

[[nodiscard]] nlohmann::json to_json(const HelloReport& report);
/// Fails with bad_format, naming the member.
[[nodiscard]] Result<HelloReport> hello_report_from_json(const nlohmann::json& json);

} // namespace mediarig::agent

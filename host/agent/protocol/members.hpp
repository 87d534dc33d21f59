// SPDX-License-Identifier: GPL-3.0-or-later
/// Members of a JSON object, checked. Every failure is bad_format and names the member: "claim: missing".
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/result.hpp"

namespace mediarig::agent {

/// The pointer is never null and lives as long as `object`.
[[nodiscard]] Result<const nlohmann::json*> member(const nlohmann::json& object, const std::string& name);
[[nodiscard]] Result<std::string> text_member(const nlohmann::json& object, const std::string& name);
/// 0 … 2^64-1.
[[nodiscard]] Result<std::uint64_t> count_member(const nlohmann::json& object, const std::string& name);
[[nodiscard]] Result<std::uint32_t> count32_member(const nlohmann::json& object, const std::string& name);
[[nodiscard]] Result<bool> flag_member(const nlohmann::json& object, const std::string& name);
[[nodiscard]] Result<std::vector<std::string>> texts_member(const nlohmann::json& object, const std::string& name);

} // namespace mediarig::agent

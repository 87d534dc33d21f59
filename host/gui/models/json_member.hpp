// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads a member of a command's JSON output.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace mediarig::gui {

/// Returns the text unchanged; empty if the member is missing or not a string.
[[nodiscard]] inline std::string text_in(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

} // namespace mediarig::gui

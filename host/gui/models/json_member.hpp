// SPDX-License-Identifier: GPL-3.0-or-later
/// A member of what a command printed as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace mediarig::gui {

/// As it came; empty where it is missing or no text.
[[nodiscard]] inline std::string text_in(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

} // namespace mediarig::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace mediarig::codec {

/// The value as JSON of ASCII controls and printable characters: every control (see host/text.hpp) stands as \uXXXX, so
/// that the content is exact and does nothing to a terminal. Bytes that are no UTF-8 become U+FFFD. `indent` < 0: one
/// line.
[[nodiscard]] std::string json_text(const nlohmann::json& value, int indent = 2);

/// In one line, for programs. Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string json_line(const nlohmann::json& value);

/// Levels of objects and lists in each other. Our own records have fewer than 20.
inline constexpr int deepest_nesting = 200;

/// JSON from another process, a file or a user. Discarded (is_discarded()) if it is none or is nested too deeply:
/// copying, comparing and writing a value recurse into it.
[[nodiscard]] nlohmann::json read_json(std::string_view text);

} // namespace mediarig::codec

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace mediarig::codec {

/// The value as JSON of ASCII controls and printable characters: every control (see host/text.hpp) stands as \uXXXX, so
/// that the content is exact and does nothing to a terminal. Bytes that are no UTF-8 become U+FFFD. `indent` < 0: one
/// line.
[[nodiscard]] std::string json_text(const nlohmann::json& value, int indent = 2);

/// In one line, for programs. Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string json_line(const nlohmann::json& value);

} // namespace mediarig::codec

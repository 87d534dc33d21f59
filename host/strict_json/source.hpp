// SPDX-License-Identifier: GPL-3.0-or-later
/// From text to a JSON tree that is safe to read: bounded in size and depth, every key once.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "host/strict_json/faults.hpp"

namespace mediarig::strict_json {

inline constexpr std::size_t largest_text = std::size_t{4} << 20; ///< bytes
inline constexpr std::size_t deepest_nesting = 16;                ///< lists and objects inside each other

/// Nothing if the text cannot be read at all; the fault then names line and column (both from 1; the column counts
/// characters). A key that is there twice is a fault, and its first value is kept.
[[nodiscard]] std::optional<nlohmann::json> read_source(std::string_view text, Faults& faults);

} // namespace mediarig::strict_json

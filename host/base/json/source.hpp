// SPDX-License-Identifier: GPL-3.0-or-later
/// Parses text into a JSON tree that is safe to read: limited size and depth, unique keys.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/json/reader.hpp"
#include "host/base/result.hpp"

namespace mediarig::strict_json {

inline constexpr std::size_t largest_text = std::size_t{4} << 20; ///< bytes
inline constexpr std::size_t deepest_nesting = 16;                ///< nested lists and objects

/// Empty if the text cannot be parsed; the fault then names line and column (both from 1; the column counts
/// characters). A repeated key is a fault, and its first value is kept.
[[nodiscard]] std::optional<nlohmann::json> read_source(std::string_view text, Faults& faults);

/// Returns the text of a user's file for read_source(). Reads no more than necessary to detect that it is too long.
/// Fails with bad_request if it is not a regular file (a device may never end, and a FIFO never start), and with
/// io_failed if it cannot be read; the detail names the file.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& file);

} // namespace mediarig::strict_json

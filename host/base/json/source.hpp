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

/// Empty if the text cannot be parsed; the fault then names line and column (both count from 1; the column counts
/// characters). A repeated key is a fault; the first value of the key is kept.
[[nodiscard]] std::optional<nlohmann::json> read_source(std::string_view text, Faults& faults);

/// Returns the text of a user's file for read_source(). Reads only enough to detect that a file is too long. Fails with
/// bad_request if the path is not a regular file (reading a device may never end, and reading a FIFO may never start),
/// and with io_failed if the file cannot be read; the detail names the file.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& file);

} // namespace mediarig::strict_json

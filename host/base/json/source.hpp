// SPDX-License-Identifier: GPL-3.0-or-later
/// From text to a JSON tree that is safe to read: bounded in size and depth, every key once.
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
inline constexpr std::size_t deepest_nesting = 16;                ///< lists and objects inside each other

/// Nothing if the text cannot be read at all; the fault then names line and column (both from 1; the column counts
/// characters). A key that is there twice is a fault, and its first value is kept.
[[nodiscard]] std::optional<nlohmann::json> read_source(std::string_view text, Faults& faults);

/// The text of a file that somebody wrote for read_source(), of which no more is read than shows that it is too long.
/// Fails with bad_request where it is not a regular file (a device may never end, and a FIFO never begin), and with
/// io_failed where it cannot be read; the detail names the file.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& file);

} // namespace mediarig::strict_json

// SPDX-License-Identifier: GPL-3.0-or-later
/// Formats text for the terminal.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/text.hpp"
#include "host/base/text_layout.hpp"

namespace mediarig::cli {

/// The non-empty parts, separated by blanks.
[[nodiscard]] std::string joined(std::initializer_list<std::string_view> parts);
/// "1 min 20 s", "45 s", "2 h 5 min", "12 min".
[[nodiscard]] std::string readable_time(long long seconds);

/// "1 step", "3 steps".
[[nodiscard]] std::string counted(std::size_t count, std::string_view thing);

/// Printable text and a line end: names from a medium, a file or a tool cannot break the line.
[[nodiscard]] std::string line_of(std::string_view text);

/// Returns a typed line without its line end; {} if the input has ended, or the line is longer than 4,095 bytes.
[[nodiscard]] std::optional<std::string> typed_line(std::istream& in);
/// Returns the rest of the input; {} if it is longer than `most` bytes.
[[nodiscard]] std::optional<std::string> rest_of(std::istream& in, std::size_t most);

} // namespace mediarig::cli

// SPDX-License-Identifier: GPL-3.0-or-later
/// Text from people and media, made safe for where it is going. A medium may call itself anything.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mediarig::report {

/// Valid UTF-8 in one line: bytes that are no UTF-8 and control characters (escape sequences, line ends, direction
/// overrides) become U+FFFD.
[[nodiscard]] std::string printable(std::string_view text);

/// Valid UTF-8: bytes that are none become U+FFFD, everything else stays. For formats that escape by themselves.
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// printable(), with & < > " ' as entities: fit for HTML text and quoted attributes.
[[nodiscard]] std::string html_escaped(std::string_view text);

/// Columns that printable text takes in a terminal: combining marks 0, East Asian wide characters 2, others 1.
[[nodiscard]] std::size_t display_width(std::string_view text);

} // namespace mediarig::report

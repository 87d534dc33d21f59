// SPDX-License-Identifier: GPL-3.0-or-later
/// Text from media, files, tools and people, made safe for where it is going. Pure.
///
/// A control is what steers a terminal or turns the direction of what is read: C0, DEL, C1, line and paragraph
/// separators, the marks of the Unicode bidirectional algorithm and the byte order mark. Source: ECMA-48, section 5;
/// Unicode 15, UAX #9, section 2.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/units.hpp"

namespace mediarig {

/// What stands for a control, and for a byte that is no UTF-8, wherever people read: U+FFFD.
inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

struct CodePoint {
    char32_t value{};
    std::size_t length{}; ///< bytes read, at least 1
    bool valid{};         ///< false: overlong, surrogate, cut off, or no UTF-8 at all (RFC 3629, section 4)
};

/// The first code point of `text`, which is not empty.
[[nodiscard]] CodePoint first_code_point(std::string_view text);
[[nodiscard]] bool is_control(char32_t c);

/// Valid UTF-8 in one line: each control and each byte that is no UTF-8 becomes `instead`.
[[nodiscard]] std::string printable(std::string_view text, std::string_view instead = replacement_character);
/// Whether printable() would change nothing.
[[nodiscard]] bool is_printable(std::string_view text);

/// Valid UTF-8: bytes that are none become U+FFFD, everything else stays. For formats that escape by themselves.
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// How people read an amount of data, everywhere: decimal, as on the box, in three digits: "63.9 GB", "8.05 GB",
/// "512 MB", "27.9 kB", "512 B".
[[nodiscard]] std::string size_text(Bytes amount);
/// To the byte, for what lies at multiples of powers of two: "4 MiB", "1.5 GiB", "1000 B".
[[nodiscard]] std::string binary_size_text(Bytes amount);

/// Up to the first line end.
[[nodiscard]] std::string first_line(std::string_view text);

} // namespace mediarig

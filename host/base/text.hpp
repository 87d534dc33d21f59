// SPDX-License-Identifier: GPL-3.0-or-later
/// Makes text from media, files, tools and users safe for its destination. Pure.
///
/// A control character controls a terminal or changes the text direction: C0, DEL, C1, line and paragraph separators,
/// the marks of the Unicode bidirectional algorithm and the byte order mark. Source: ECMA-48, section 5; Unicode 15,
/// UAX #9, section 2.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/units.hpp"

namespace mediarig {

/// This character (U+FFFD) replaces each control character and each byte that is not UTF-8 in displayed text.
inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

struct CodePoint {
    char32_t value{};
    std::size_t length{}; ///< in bytes; 1 if invalid
    bool valid{};         ///< false: overlong, surrogate, truncated, or not UTF-8 (RFC 3629, section 4)
};

/// The first code point of `text`, which must not be empty.
[[nodiscard]] CodePoint first_code_point(std::string_view text);
[[nodiscard]] bool is_control(char32_t c);
/// Appends the UTF-8 sequence of a code point up to U+10FFFF.
void append_utf8(std::string& text, char32_t point);

/// Valid UTF-8 in one line: each control character and each byte that is not UTF-8 becomes `instead`.
[[nodiscard]] std::string printable(std::string_view text, std::string_view instead = replacement_character);
/// True if printable() would change nothing.
[[nodiscard]] bool is_printable(std::string_view text);

/// Valid UTF-8: replaces bytes that are not UTF-8 with U+FFFD and keeps all other bytes. For formats with their own
/// escapes.
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// The display format of an amount of data: decimal, as on the package, with three digits: "63.9 GB", "8.05 GB", "512
/// MB", "27.9 kB", "512 B".
[[nodiscard]] std::string size_text(Bytes amount);
/// Exact to the byte, for multiples of powers of two: "4 MiB", "1.5 GiB", "1000 B".
[[nodiscard]] std::string binary_size_text(Bytes amount);

/// The text up to the first line end.
[[nodiscard]] std::string first_line(std::string_view text);

/// True for a non-ASCII character that is allowed in names of files and keys: a letter or digit of a left-to-right
/// script, or an accent. No shell, path or terminal interprets these characters specially, unlike blanks, quotes,
/// slashes and characters without width.
[[nodiscard]] bool is_letter_beyond_ascii(char32_t c);

/// Display format of two amounts of data that a sentence compares. Pure.
struct SizeTexts {
    std::string first, second;
};
/// Both amounts in the format of size_text(); exact to the byte if the two short texts would be equal.
[[nodiscard]] SizeTexts size_texts(Bytes first, Bytes second);

/// A figure that a sentence compares with a bound: with `decimals` digits after the point, or with as many more (at
/// most 9) as the rounded figure needs to be on the same side of the bound. Pure.
[[nodiscard]] std::string text_beside(double bound, double figure, int decimals);

/// E.g. "suite steady needs 1.05 MB, with 524 kB available"
[[nodiscard]] std::string shortage(std::string_view who, Bytes needed, Bytes available);

/// E.g. "a medium of 1.05 MB is too small for exFAT, which takes at least 3.15 MB"
[[nodiscard]] std::string too_small(Bytes medium, std::string_view for_what, Bytes least);

} // namespace mediarig

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

/// What of a name may stand in a file's name or a key. Pure.

/// A letter beyond ASCII, or an accent on one, of a script that runs from left to right: no shell, path or terminal
/// reads anything else into it, as into blanks, quotes, slashes and marks that are none or have no width. Source:
/// Unicode 15, by its blocks; letters of rare scripts are not among them.
[[nodiscard]] bool is_letter_beyond_ascii(char32_t c);

/// Text as a terminal lays it out: columns, not bytes. Pure.

/// How many columns UTF-8 `text` takes: most characters take one, East Asian wide ones and emoji two, combining marks
/// none. Source of the ranges: Unicode 15, EastAsianWidth.txt (W, F), in blocks.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// Of the widest line of `text`.
[[nodiscard]] std::size_t widest_line(std::string_view text);

/// `text` in at most `columns`, the end replaced by "…" where it does not fit.
[[nodiscard]] std::string cut_to(std::string_view text, std::size_t columns);

/// `text` in lines of at most `width` columns, broken at spaces outside of single quotes; a word that is longer has a
/// line of its own. The first line begins with `first`, the others with `indent`; no line end behind the last one.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::string_view indent,
                                  std::string_view first = {});

/// How people read two amounts of data that a sentence compares. Pure.
struct SizeTexts {
    std::string first, second;
};
/// As size_text() says each; to the byte where it would say the same of both.
[[nodiscard]] SizeTexts size_texts(Bytes first, Bytes second);

/// "suite steady needs 1.05 MB, with 524 kB available"
[[nodiscard]] std::string shortage(std::string_view who, Bytes needed, Bytes available);

/// "a medium of 1.05 MB is too small for exFAT, which takes at least 3.15 MB"
[[nodiscard]] std::string too_small(Bytes medium, std::string_view for_what, Bytes least);

} // namespace mediarig

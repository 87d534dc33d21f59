// SPDX-License-Identifier: GPL-3.0-or-later
/// Text as a terminal lays it out: columns, not bytes. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mediarig {

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

} // namespace mediarig

// SPDX-License-Identifier: GPL-3.0-or-later
/// "did you mean …?" for a mistyped word. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace mediarig::strict_json {

/// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours, one each.
/// Source: Damerau, "A technique for computer detection and correction of spelling errors", CACM 7(3), 1964.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known word nearest to `word`, if it is near enough to be a slip of the fingers (a third of its length;
/// capitals do not count); else the first that begins with three letters or more that are all of `word`; empty if none
/// is.
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

/// `; did you mean "exfat"?`, or `; known are "exfat", "apfs"` where nothing is near.
[[nodiscard]] std::string hint(std::string_view word, std::span<const std::string_view> known);

} // namespace mediarig::strict_json

// SPDX-License-Identifier: GPL-3.0-or-later
/// The "did you mean …?" hint for a mistyped word. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace mediarig::strict_json {

/// Optimal string alignment distance: insertions, deletions, substitutions and swaps of adjacent characters, with cost
/// 1 each. Source: Damerau, "A technique for computer detection and correction of spelling errors", CACM 7(3), 1964.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known word nearest to `word`, if the distance is small enough for a typing error (a third of its length; case is
/// ignored). Otherwise the first known word of which `word` is a prefix of three letters or more. Otherwise empty.
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

/// `; did you mean "exfat"?`, or `; expected one of "exfat", "apfs"` if no word is near.
[[nodiscard]] std::string hint(std::string_view word, std::span<const std::string_view> known);

} // namespace mediarig::strict_json

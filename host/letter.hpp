// SPDX-License-Identifier: GPL-3.0-or-later
/// What of a name may stand in a file's name or a key. Pure.
#pragma once

namespace mediarig {

/// A letter beyond ASCII, or an accent on one, of a script that runs from left to right: no shell, path or terminal
/// reads anything else into it, as into blanks, quotes, slashes and marks that are none or have no width. Source:
/// Unicode 15, by its blocks; letters of rare scripts are not among them.
[[nodiscard]] bool is_letter_beyond_ascii(char32_t c);

} // namespace mediarig

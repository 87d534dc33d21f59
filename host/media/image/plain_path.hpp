// SPDX-License-Identifier: GPL-3.0-or-later
/// Paths that can be shown and typed without becoming another path. Pure.
#pragma once

#include <string>
#include <string_view>

namespace mediarig::media {

/// UTF-8 without control characters (C0, DEL, C1) and without marks that turn the direction of text (U+061C, U+200E,
/// U+200F, U+202A to U+202E, U+2066 to U+2069). Spaces are text wherever they stand.
[[nodiscard]] bool is_plain_text(std::string_view path);
/// For people only: whatever is not plain becomes '?'.
[[nodiscard]] std::string plain_text_of(std::string_view path);

} // namespace mediarig::media

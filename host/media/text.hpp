// SPDX-License-Identifier: GPL-3.0-or-later
/// Text that devices say of themselves, made safe for terminals and JSON.
#pragma once

#include <string>
#include <string_view>

namespace mediarig::media {

/// Without leading and trailing white space and NULs.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// Trimmed; control characters and bytes that are no UTF-8 become '?'. A serial with an escape sequence in it must not
/// reach a terminal, and a label in some other encoding must not break a message.
[[nodiscard]] std::string printable(std::string_view raw);

} // namespace mediarig::media

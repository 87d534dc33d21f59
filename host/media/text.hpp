// SPDX-License-Identifier: GPL-3.0-or-later
/// Text that devices say of themselves, made safe for terminals and JSON.
#pragma once

#include <string>
#include <string_view>

namespace mediarig::media {

/// Without leading and trailing white space and NULs.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// Trimmed; controls (see host/text.hpp) and bytes that are no UTF-8 become '?': what is kept of a serial is typed by
/// people as the confirmation, and a question mark is on every keyboard.
[[nodiscard]] std::string typeable(std::string_view raw);

} // namespace mediarig::media

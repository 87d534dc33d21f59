// SPDX-License-Identifier: GPL-3.0-or-later
/// What a volume label must be, whatever the file system.
#pragma once

#include <optional>
#include <string>

namespace mediarig::media {

/// Length in UTF-16 units, the measure of exFAT and HFS+; nothing where `utf8` is no UTF-8 or holds control characters.
[[nodiscard]] std::optional<std::size_t> utf16_length(const std::string& utf8);

} // namespace mediarig::media

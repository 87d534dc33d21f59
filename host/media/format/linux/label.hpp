// SPDX-License-Identifier: GPL-3.0-or-later
/// Requirements for volume labels of any file system.
#pragma once

#include <optional>
#include <string>

namespace mediarig::media {

/// Length in UTF-16 units, the measure of exFAT and HFS+; empty if `utf8` is invalid or contains control characters.
[[nodiscard]] std::optional<std::size_t> utf16_length(const std::string& utf8);

} // namespace mediarig::media

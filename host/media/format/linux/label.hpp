// SPDX-License-Identifier: GPL-3.0-or-later
/// Requirements for volume labels of any file system.
#pragma once

#include <optional>
#include <string>

#include "host/base/result.hpp"
#include "host/media/format_options.hpp"

namespace mediarig::media {

/// Length in UTF-16 units, the measure of exFAT and HFS+; empty if `utf8` is invalid or contains control characters.
[[nodiscard]] std::optional<std::size_t> utf16_length(const std::string& utf8);

/// Checks characters and length by the specification of the file system; an empty label selects the default. For
/// HFS+ see hfsplus::volume_name(). Fails with bad_request.
[[nodiscard]] Result<void> check_label(FileSystem fs, const std::string& label);

} // namespace mediarig::media

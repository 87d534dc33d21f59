// SPDX-License-Identifier: GPL-3.0-or-later
/// Converts a label to the form in which HFS+ stores names.
#pragma once

#include <string>

#include "host/base/result.hpp"

namespace mediarig::media::hfsplus {

inline constexpr std::size_t longest_name = 255; ///< UTF-16 units, after decomposition

/// Canonically decomposed UTF-16, as TN1150 requires ("Unicode Subtleties"): only the basic plane, and without
/// U+2000-U+2FFF, U+F900-U+FAFF and characters that Unicode 3.2 did not decompose. A colon becomes a slash: on the
/// medium each represents the other. Fails with bad_request: invalid UTF-8, control characters, empty, too long.
[[nodiscard]] Result<std::u16string> volume_name(const std::string& utf8);

} // namespace mediarig::media::hfsplus

// SPDX-License-Identifier: GPL-3.0-or-later
/// A label in the form in which HFS+ keeps names.
#pragma once

#include <string>

#include "host/base/result.hpp"

namespace mediarig::media::hfsplus {

inline constexpr std::size_t longest_name = 255; ///< UTF-16 units, after decomposition

/// UTF-16, canonically decomposed, as TN1150 wants it ("Unicode Subtleties"): of the basic plane only, and without
/// U+2000-U+2FFF, U+F900-U+FAFF and what Unicode 3.2 did not decompose. A colon becomes a slash: on the medium the one
/// stands for the other. Fails with bad_request: no UTF-8, control characters, nothing, too long.
[[nodiscard]] Result<std::u16string> volume_name(const std::string& utf8);

} // namespace mediarig::media::hfsplus

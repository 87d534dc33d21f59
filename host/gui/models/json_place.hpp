// SPDX-License-Identifier: GPL-3.0-or-later
/// Finds the position of a fault in a JSON text. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace mediarig::gui {

/// Returns the offset in bytes of the value that a JSON pointer (RFC 6901) names; for a missing value, the offset of
/// its parent. Returns 0 for invalid JSON. `fault`: "/media/0/path: reason", as from parse_plan().
[[nodiscard]] std::size_t place_of_fault(std::string_view json, std::string_view fault);

} // namespace mediarig::gui

// SPDX-License-Identifier: GPL-3.0-or-later
/// Where in a text a fault of it is. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace mediarig::gui {

/// Where the value begins that a JSON pointer (RFC 6901) names, in bytes; of a value that is not there, where what
/// should hold it begins. 0 for what is no JSON. `fault`: "/media/0/path: reason", as parse_plan() says it.
[[nodiscard]] std::size_t place_of_fault(std::string_view json, std::string_view fault);

} // namespace mediarig::gui

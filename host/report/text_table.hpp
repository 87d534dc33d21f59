// SPDX-License-Identifier: GPL-3.0-or-later
/// Lays a table out in lines of a given width: blocks side by side as far as they fit, the rest below.
#pragma once

#include <string>

#include "host/report/tables.hpp"
#include "host/report/terminal.hpp"

namespace mediarig::report {

/// Where words get their emphasis; nothing when plain.
[[nodiscard]] std::string emphasised(std::string_view text, Colour colour);
[[nodiscard]] std::string faint(std::string_view text, Colour colour);

/// The table with its title and notes. Rows of kind detail are left out.
[[nodiscard]] std::string lay_out(const Table& table, const TableOptions& options);

} // namespace mediarig::report

// SPDX-License-Identifier: GPL-3.0-or-later
/// The one way in which CSV is written here.
#pragma once

#include <span>
#include <string>

namespace mediarig::report {

/// One line with its end (RFC 4180), each cell in quotes where it needs them, in printable UTF-8 (see host/text.hpp).
///
/// Spreadsheets take text that begins with = + - or @ for a formula, and what media and people call themselves would
/// run there. Such a cell gets an apostrophe in front, which a spreadsheet shows as text. So do parts behind a
/// semicolon, at which a spreadsheet of another language begins a new cell. Numbers stay as they are, negative ones
/// too. Source: OWASP, "CSV Injection".
[[nodiscard]] std::string csv_row(std::span<const std::string> cells);

} // namespace mediarig::report

// SPDX-License-Identifier: GPL-3.0-or-later
/// One line of description for each suite. Pure.
#pragma once

#include <string>
#include <string_view>

namespace mediarig::cli {

/// Returns the subject of the measurement: "rate for 9 block sizes"; empty for an unknown suite.
[[nodiscard]] std::string_view purpose_of_suite(std::string_view name);

/// Returns a table of all suites, one line each.
[[nodiscard]] std::string suites_text(std::size_t columns);

} // namespace mediarig::cli

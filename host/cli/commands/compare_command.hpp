// SPDX-License-Identifier: GPL-3.0-or-later
/// compare --from: applies the decision rule to external measurements.
#pragma once

#include <string>

#include "host/cli/command.hpp"

namespace mediarig::cli {

/// `from`: a file, or "-" for standard input. Returns the exit status.
[[nodiscard]] int answer_lines_of(const Console& console, const std::string& from);

} // namespace mediarig::cli

// SPDX-License-Identifier: GPL-3.0-or-later
/// What a command line that was not understood is answered with.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace mediarig::cli {

/// The command that was asked for, as far as the words were understood: "mediarig lab plug" ends at "plug".
[[nodiscard]] const CLI::App& deepest_command(const CLI::App& app);

/// One line for people, without its end: what is wrong, which word may have been meant, which help tells more.
[[nodiscard]] std::string explain(const CLI::App& app, const CLI::ParseError& what);

} // namespace mediarig::cli

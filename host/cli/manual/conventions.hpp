// SPDX-License-Identifier: GPL-3.0-or-later
/// Conventions of all commands: source of the man page; docs/reference/commands.md contains the same tables.
#pragma once

#include <span>
#include <string_view>

namespace mediarig::cli {

/// A word of the interface with a one-line explanation.
struct GlossaryEntry {
    std::string_view word, text;
};

/// "0" to "4"; see exit_status() in host/base/result.hpp.
[[nodiscard]] std::span<const GlossaryEntry> exit_statuses();
/// The exit statuses in one line, with the command that explains them.
[[nodiscard]] std::string_view exit_statuses_in_short();
/// Examples of common commands.
[[nodiscard]] std::span<const GlossaryEntry> examples();
/// All environment variables that the program reads on behalf of the user.
[[nodiscard]] std::span<const GlossaryEntry> environment_variables();

} // namespace mediarig::cli

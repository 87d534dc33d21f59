// SPDX-License-Identifier: GPL-3.0-or-later
/// Error messages for invalid command lines.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace mediarig::cli {

/// Names of the subcommands of `app` that its help shows.
[[nodiscard]] std::vector<std::string> commands_of(const CLI::App& app);

/// Returns one line without a line end: the error, the word that may have been meant, and the help command that
/// explains more.
[[nodiscard]] std::string explain(const CLI::App& app, const CLI::ParseError& what);

/// Rewrites a frequent message of the parser about a value in the style of this program.
[[nodiscard]] std::string reworded(const std::string& line);

/// Returns "; did you mean 'verify'?", or an empty text if no known word is similar: the help lists all words.
/// `before`: prefix of each word.
[[nodiscard]] std::string meant(const std::string& word, const std::vector<std::string>& known,
                                const std::string& before = {});

} // namespace mediarig::cli

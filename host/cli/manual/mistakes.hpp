// SPDX-License-Identifier: GPL-3.0-or-later
/// What a command line that was not understood is answered with.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

namespace mediarig::cli {

/// The names of those below `app` that its help shows.
[[nodiscard]] std::vector<std::string> commands_of(const CLI::App& app);

/// One line for people, without its end: what is wrong, which word may have been meant, which help tells more. `typed`:
/// the words behind the program's name.
[[nodiscard]] std::string explain(const CLI::App& app, const CLI::ParseError& what, std::span<const std::string> typed);

/// What the parser says of a value of this command, as one would write it.
[[nodiscard]] std::string reworded(const std::string& line, const CLI::App& command,
                                   std::span<const std::string> typed = {});

/// "; did you mean 'verify'?", or nothing where no word is near: what there is stands in the help.
/// `before`: what stands before each of them.
[[nodiscard]] std::string meant(const std::string& word, const std::vector<std::string>& known,
                                const std::string& before = {});

} // namespace mediarig::cli

// SPDX-License-Identifier: GPL-3.0-or-later
/// Man page and shell completions, generated from the parser's definitions so that they stay up to date. Entries hidden
/// in the help are omitted.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace mediarig::cli {

/// An option or a positional argument.
struct ManualOption {
    std::vector<std::string> names;    ///< "-h", "--help"; the single name of an argument
    std::string value;                 ///< placeholder of the value, such as "NUMBER"; empty: no value
    std::vector<std::string> choices;  ///< all valid values, if they form a list
    std::vector<std::string> proposed; ///< suggested values; others are allowed
    std::string text;
    std::string standard;  ///< default value, if it is the same for every user
    bool value_optional{}; ///< the value then requires "="
    bool required{};
    bool many{};
};

struct ManualCommand {
    std::string path; ///< "mediarig lab plug"
    std::string text;
    std::vector<ManualOption> options, arguments;
    std::vector<ManualCommand> commands;
};

[[nodiscard]] ManualCommand manual_of(const CLI::App& app);
[[nodiscard]] ManualOption manual_of(const CLI::Option& option);
/// Name of a positional argument in the usage line; it may also be an option.
[[nodiscard]] std::string argument_name(const CLI::Option& option);
/// Adds words for shell completion; other values stay valid. Call it before adding a check of the value.
void propose(CLI::Option& option, const std::vector<std::string>& words);

/// Last word of the command's path.
[[nodiscard]] std::string last_word(const ManualCommand& command);
/// The command and all commands below it, parents first.
[[nodiscard]] std::vector<const ManualCommand*> with_all_below(const ManualCommand& command);
/// True if the value may be a path: neither a number nor a choice from a list.
[[nodiscard]] bool takes_path(const ManualOption& option);

/// In the format of man(7); `version` as in "0.1.0".
[[nodiscard]] std::string man_page(const ManualCommand& program, const std::string& version);
[[nodiscard]] std::string bash_completion(const ManualCommand& program);
[[nodiscard]] std::string zsh_completion(const ManualCommand& program);
[[nodiscard]] std::string fish_completion(const ManualCommand& program);

} // namespace mediarig::cli

// SPDX-License-Identifier: GPL-3.0-or-later
/// Descriptions of commands and options for help, man page and shell completion, from the parser's definitions, so that
/// they stay up to date. Entries hidden in the help are omitted.
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
    bool value_optional{};             ///< the value then requires "="
};

[[nodiscard]] ManualOption manual_of(const CLI::Option& option);
/// Name of a positional argument in the usage line; it may also be an option.
[[nodiscard]] std::string argument_name(const CLI::Option& option);
/// Adds words for shell completion; other values stay valid. Call it before adding a check of the value.
void propose(CLI::Option& option, const std::vector<std::string>& words);

struct ManualCommand {
    std::string path; ///< "mediarig lab plug"
    const CLI::App* app{};
    std::vector<const CLI::Option*> arguments, options; ///< including the options of its option groups
};
/// The program and all commands below it, parents first.
[[nodiscard]] std::vector<ManualCommand> manual_of(const CLI::App& program);

[[nodiscard]] std::string bash_completion(const CLI::App& program);

} // namespace mediarig::cli

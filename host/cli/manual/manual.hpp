// SPDX-License-Identifier: GPL-3.0-or-later
/// The commands as a man page and as completions for shells, made from what the command line is parsed with: neither
/// can go stale. What is in no group of the help is in none of them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace mediarig::cli {

/// An option, or an argument by place.
struct ManualOption {
    std::vector<std::string> names;    ///< "-h", "--help"; of an argument its one name
    std::string value;                 ///< what follows it, such as "NUMBER"; empty: nothing does
    std::vector<std::string> choices;  ///< all that may follow it, where that is a list
    std::vector<std::string> proposed; ///< words that may follow it, beside others
    std::string text;
    std::string standard;  ///< what holds without it, where that is the same for every user
    bool value_optional{}; ///< then it stands behind a sign of equality alone
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
/// What the usage calls an argument by place, which may be an option as well.
[[nodiscard]] std::string argument_name(const CLI::Option& option);
/// Shells complete these words; others may be given as well. Before anything checks its value.
void propose(CLI::Option& option, const std::vector<std::string>& words);

/// Its own name, without those of the commands that it belongs to.
[[nodiscard]] std::string last_word(const ManualCommand& command);
/// The command and all below it, each before its own.
[[nodiscard]] std::vector<const ManualCommand*> with_all_below(const ManualCommand& command);
/// What follows may be a path: no number and no choice of a list.
[[nodiscard]] bool takes_path(const ManualOption& option);

/// man(7); `version` as in "0.1.0".
[[nodiscard]] std::string man_page(const ManualCommand& program, const std::string& version);
[[nodiscard]] std::string bash_completion(const ManualCommand& program);
[[nodiscard]] std::string zsh_completion(const ManualCommand& program);
[[nodiscard]] std::string fish_completion(const ManualCommand& program);

} // namespace mediarig::cli

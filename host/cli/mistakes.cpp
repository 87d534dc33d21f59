// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/mistakes.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "host/strict_json/suggest.hpp"

namespace mediarig::cli {
namespace {

std::string path_of(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    return parent == nullptr ? command.get_name() : path_of(*parent) + ' ' + command.get_name();
}

std::vector<std::string> options_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
        if (!option->get_group().empty())
            for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

/// "; did you mean …?", or nothing where no word is near: what there is stands in the help.
std::string meant(const std::string& word, const std::vector<std::string>& known) {
    const std::vector<std::string_view> words(known.begin(), known.end());
    const auto near = strict_json::nearest(word, words);
    return near.empty() ? std::string() : fmt::format("; did you mean '{}'?", near);
}

std::string first_line(std::string text) {
    return text.substr(0, text.find('\n'));
}

/// The first word that nobody understood; empty where there is none.
std::string not_understood(const CLI::App& app) {
    const std::vector<std::string> left = app.remaining(true);
    return left.empty() ? std::string() : left.front();
}

/// The command that was asked for, as far as the words were understood: "mediarig lab plug" ends at "plug".
const CLI::App& deepest_command(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app : deepest_command(*chosen.front());
}

} // namespace

std::vector<std::string> commands_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!command->get_group().empty() && !command->get_name().empty()) names.push_back(command->get_name());
    return names;
}

std::string explain(const CLI::App& app, const CLI::ParseError& what) {
    const CLI::App& command = deepest_command(app);
    const std::string path = path_of(command);
    const std::string word = not_understood(app);
    const std::vector<std::string> commands = commands_of(command);
    std::string line = first_line(what.what());
    if (word.starts_with("--")) {
        const std::string name = word.substr(0, word.find('='));
        line = fmt::format("{} has no option {}{}", path, name, meant(name, options_of(command)));
    } else if (!word.empty() && !word.starts_with('-') && !commands.empty()) {
        line = fmt::format("there is no command '{}'{}",
                           path == app.get_name() ? word : path.substr(path.find(' ') + 1) + ' ' + word,
                           meant(word, commands));
    }
    return fmt::format("{} (see {} --help)", line, path);
}

} // namespace mediarig::cli

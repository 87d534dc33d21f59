// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/manual/manual.hpp"

#include <sstream>

namespace mediarig::cli {
namespace {

/// Returns psync and uring for "TEXT:{psync,uring}".
std::vector<std::string> words_in(const std::string& type, char open, char close) {
    const auto begin = type.find(open), end = type.rfind(close);
    if (begin == std::string::npos || end == std::string::npos) return {};
    std::vector<std::string> found;
    std::istringstream list(type.substr(begin + 1, end - begin - 1));
    for (std::string choice; std::getline(list, choice, ',');) {
        const auto from = choice.find_first_not_of(' ');
        if (from == std::string::npos) continue;
        found.push_back(choice.substr(from, choice.find("->") - from)); // keep only the keys of a map
    }
    return found;
}

std::string value_of(const std::string& type) {
    const std::string word = type.substr(0, type.find_first_of(": ["));
    return word == "UINT" || word == "INT" || word == "FLOAT" ? "NUMBER" : word;
}

} // namespace

void propose(CLI::Option& option, const std::vector<std::string>& words) {
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "" : ",") + word;
    option.type_name(option.get_type_name() + ":<" + list + ">");
}

ManualOption manual_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const bool flag = option.get_items_expected_max() == 0;
    // Syntax of CLI11 for a flag with an optional file.
    const std::string all_names = option.get_name(false, true);
    const bool may_have_file = all_names.find("{-}") != std::string::npos || all_names.find("{*}") != std::string::npos;
    ManualOption shown{.names = {},
                       .value = may_have_file ? "FILE"
                                : flag        ? ""
                                              : value_of(type),
                       .choices = flag ? std::vector<std::string>() : words_in(type, '{', '}'),
                       .proposed = flag ? std::vector<std::string>() : words_in(type, '<', '>'),
                       .value_optional = may_have_file};
    for (const std::string& name : option.get_snames()) shown.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) shown.names.push_back("--" + name);
    if (shown.names.empty()) shown.names.push_back(argument_name(option));
    return shown;
}

std::string argument_name(const CLI::Option& option) {
    const std::string all = option.get_name(true, true); // positional name first
    return all.substr(0, all.find(','));
}

namespace {

/// Adds the options of unnamed option groups to the enclosing command.
void add_options(const CLI::App& app, ManualCommand& command) {
    for (const CLI::Option* option : app.get_options()) {
        // A positional argument may also have an option name; then it is listed in both places.
        if (option->get_positional()) command.arguments.push_back(option);
        const bool named = option->nonpositional() && !option->get_group().empty();
        // Each option group has a separate, unreachable --help: skip it.
        if (named && !(app.get_name().empty() && option == app.get_help_ptr())) command.options.push_back(option);
    }
    for (const CLI::App* below : app.get_subcommands({}))
        if (below->get_name().empty()) add_options(*below, command);
}

void add_commands(const CLI::App& app, const std::string& path, std::vector<ManualCommand>& commands) {
    ManualCommand command{.path = path, .app = &app, .arguments = {}, .options = {}};
    add_options(app, command);
    commands.push_back(std::move(command));
    for (const CLI::App* below : app.get_subcommands({}))
        if (!below->get_name().empty() && !below->get_group().empty())
            add_commands(*below, path + ' ' + below->get_name(), commands);
}

} // namespace

std::vector<ManualCommand> manual_of(const CLI::App& program) {
    std::vector<ManualCommand> commands;
    add_commands(program, program.get_name(), commands);
    return commands;
}

} // namespace mediarig::cli

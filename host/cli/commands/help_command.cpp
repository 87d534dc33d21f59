// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <vector>

#include "host/cli/command.hpp"
#include "host/cli/manual/conventions.hpp"
#include "host/cli/manual/manual.hpp"
#include "host/cli/manual/mistakes.hpp"

namespace mediarig::cli {
namespace {

/// A topic of `help` that is not a command.
constexpr std::string_view exit_topic = "exit";

int explain_exit_statuses(const Console& console) {
    console.out << "Exit statuses:\n";
    for (const auto& [status, meaning] : exit_statuses()) console.out << fmt::format("  {}  {}\n", status, meaning);
    return 0;
}

int help(const Console& console, const CLI::App& app, const std::vector<std::string>& words) {
    if (words.size() == 1 && words.front() == exit_topic) return explain_exit_statuses(console);
    const CLI::App* chosen = &app;
    std::string path;
    for (const std::string& word : words) {
        const std::vector<std::string> names = commands_of(*chosen);
        const CLI::App* next = nullptr;
        for (const CLI::App* command : chosen->get_subcommands([](const CLI::App*) { return true; }))
            if (!word.empty() && command->get_name() == word) next = command;
        const std::string before = path.empty() ? path : path.substr(1) + ' ';
        path += ' ' + word;
        if (next == nullptr) {
            return report(console, {Errc::bad_request,
                                    fmt::format("there is no command '{}'{} (see mediarig{} --help)", path.substr(1),
                                                meant(word, names, before), path.substr(0, path.rfind(' ')))});
        }
        chosen = next;
    }
    // help() would explain the command that CLI11 parsed, not `chosen`.
    const std::string before = words.size() > 1 ? "mediarig" + path.substr(0, path.rfind(' ')) + ' ' : "mediarig ";
    console.out << chosen->get_formatter()->make_help(chosen, (chosen == &app ? "" : before) + chosen->get_name(),
                                                      CLI::AppFormatMode::Normal);
    return 0;
}

} // namespace

void add_help_command(CLI::App& app, Console& console, Action& action) {
    auto words = std::make_shared<std::vector<std::string>>();
    CLI::App* command = app.add_subcommand("help", "explain a command and its options");
    CLI::Option* const named = command->add_option("command", *words, "the command, for example: lab plug");
    named->type_name("COMMAND");
    std::vector<std::string> topics = commands_of(app);
    topics.emplace_back(exit_topic);
    propose(*named, topics);
    command->callback(
        [words, &app, &console, &action] { action = [words, &app, &console] { return help(console, app, *words); }; });
}

void add_completion_command(CLI::App& app, Console& console, Action& action) {
    CLI::App* const command = app.add_subcommand("bash-completion", "the completion for bash");
    command->group(""); // hidden in the list of commands, because only packagers need it
    command->callback([&app, &console, &action] {
        action = [&app, &console] {
            console.out << bash_completion(app);
            return 0;
        };
    });
}

} // namespace mediarig::cli

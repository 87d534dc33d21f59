// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <vector>

#include "host/cli/command.hpp"
#include "host/cli/manual.hpp"
#include "host/cli/mistakes.hpp"

namespace mediarig::cli {
namespace {

int help(const Console& console, const CLI::App& app, const std::vector<std::string>& words) {
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
            return report(console, {Errc::bad_request, fmt::format("there is no command '{}'{}", path.substr(1),
                                                                   meant(word, names, before))});
        }
        chosen = next;
    }
    // Not help(), which explains the command that was asked for: this one.
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
    propose(*named, commands_of(app));
    command->callback(
        [words, &app, &console, &action] { action = [words, &app, &console] { return help(console, app, *words); }; });
}

} // namespace mediarig::cli

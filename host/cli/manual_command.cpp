// SPDX-License-Identifier: GPL-3.0-or-later
#include <memory>
#include <ostream>

#include "host/cli/command.hpp"
#include "host/cli/manual.hpp"
#include "host/version.hpp"

namespace mediarig::cli {

void add_manual_command(CLI::App& app, Console& console, Action& action) {
    CLI::App* const command = app.add_subcommand("manual", "the man page, or completions for a shell");
    command->group(""); // for those who install mediarig: in no list of its commands
    const auto kind = std::make_shared<std::string>();
    command->add_option("kind", *kind, "man, bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"man", "bash", "zsh", "fish"}));
    command->callback([&app, &console, &action, kind] {
        action = [&app, &console, kind] {
            const ManualCommand program = manual_of(app);
            if (*kind == "man") console.out << man_page(program, version);
            if (*kind == "bash") console.out << bash_completion(program);
            if (*kind == "zsh") console.out << zsh_completion(program);
            if (*kind == "fish") console.out << fish_completion(program);
            return 0;
        };
    });
}

} // namespace mediarig::cli

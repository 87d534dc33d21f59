// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "host/app/files/nickname_file.hpp"
#include "host/cli/command.hpp"
#include "host/cli/facts.hpp"
#include "host/cli/text/text.hpp"

namespace mediarig::cli {
namespace {

struct NamesOptions {
    app::AgentChoice agent{.how = "local"};
    std::string medium, name;
    Facts facts;
};

int list(const Console& console, const NamesOptions& options) {
    if (auto possible = check_json_file(options.facts); !possible) return report(console, possible.error());
    const auto names = app::read_nicknames();
    if (!names) return report(console, names.error());
    return tell(console, options.facts, to_json(*names), [&] {
        if (names->all().empty()) {
            console.out << "No medium has a nickname: give one with 'mediarig names give MEDIUM NAME'.\n";
            return;
        }
        TextTable table({"NICKNAME", "SERIAL OR PATH"});
        for (const Nickname& each : names->all()) table.add({each.name, each.medium});
        console.out << table.text(console.columns);
    });
}

int give(const Console& console, const NamesOptions& options) {
    app::AgentChoice choice = options.agent;
    choice.devices = {options.medium};
    const auto given = app::give_nickname(choice, options.medium, options.name);
    if (!given) return report(console, given.error());
    console.out << line_of(fmt::format("{} is now called '{}'", given->medium, given->name));
    return 0;
}

int forget(const Console& console, const NamesOptions& options) {
    const auto gone = app::forget_nickname(options.name);
    if (!gone) return report(console, gone.error());
    console.out << line_of(fmt::format("{} is no longer called '{}'", gone->medium, gone->name));
    return 0;
}

} // namespace

void add_names_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<NamesOptions>();
    CLI::App* command =
        app.add_subcommand("names", "list, give and forget nicknames of media, which are kept by serial");
    command->require_subcommand(0, 1);
    add_json_option(*command, options->facts);
    command->callback([command, options, &console, &action] {
        if (command->get_subcommands().empty()) action = [options, &console] { return list(console, *options); };
    });
    const auto add = [&](const std::string& name, const std::string& what, auto run) {
        CLI::App* part = command->add_subcommand(name, what);
        part->callback([run, options, &console, &action] {
            action = [run, options, &console] { return run(console, *options); };
        });
        return part;
    };
    CLI::App* part = add("give", "give a medium a nickname, or replace its nickname", give);
    part->add_option("medium", options->medium, "serial as 'mediarig devices' shows it, or path of a device or image")
        ->required();
    part->add_option("name", options->name, "up to 40 bytes")->required();
    add_agent_option(*part, options->agent);
    add("forget", "remove a nickname", forget)
        ->add_option("name", options->name, "the nickname, or the medium's serial")
        ->required();
}

} // namespace mediarig::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <ostream>

#include "host/app/files/nickname_file.hpp"
#include "host/base/shell_word.hpp"
#include "host/base/text.hpp"
#include "host/cli/command.hpp"
#include "host/cli/text/suite_text.hpp"
#include "host/cli/text/text.hpp"
#include "host/media/identity/confirmation.hpp"
#include "host/report/cards/card.hpp"
#include "host/report/text/display_text.hpp"

namespace mediarig::cli {
namespace {

struct DescribeOptions {
    std::string target;
    app::AgentChoice agent{.how = "local"};
};

struct PossibleQuestion {
    std::string question, command;
    bool erases{};
};

/// Questions about a folder concern only the file system that contains it.
std::vector<PossibleQuestion> questions_about_folder(const std::string& folder) {
    const std::string word = shell_word(folder);
    return {{"How fast is it?", fmt::format("mediarig bench {}", word)},
            {"Does its free space keep all data?", fmt::format("mediarig verify {}", word)}};
}

std::vector<PossibleQuestion> questions_about(const media::Medium& medium, bool erasable) {
    const std::string node = shell_word(medium.node);
    std::vector<PossibleQuestion> questions{{"How is it formatted?", fmt::format("mediarig inspect {}", node)},
                                            {"How fast is it?", fmt::format("mediarig bench {}", node)}};
    if (!erasable) return questions;
    for (const auto& [question, command, more] :
         {std::tuple{"Is it a fake?", "verify", " --probe"}, std::tuple{"Does it keep all of its data?", "verify", ""},
          std::tuple{"Which format is fastest?", "compare", " --formats exfat,fat32"}})
        questions.push_back({question, report::erasing_command(command, medium, more), true});
    return questions;
}

void print_questions(const Console& console, const std::vector<PossibleQuestion>& questions) {
    console.out << '\n';
    for (const PossibleQuestion& each : questions)
        console.out << line_of(each.question + (each.erases ? " (erases it)" : "")) << line_of("    " + each.command);
}

int describe_medium(const Console& console, const media::Medium& medium) {
    console.out << line_of(fmt::format("{}: {}", medium.node, report::identity_text(medium)));
    if (!medium.serial.empty()) console.out << line_of("serial: " + medium.serial);
    if (const std::string name = app::nicknames_to_show().of(media::confirmation_of(medium)); !name.empty())
        console.out << line_of("nickname: " + name);
    const auto refusals = media::permanent_refusals(medium, media::confirmation_to_type(medium));
    for (const media::Refusal& refusal : refusals) console.out << line_of("may not be erased: " + refusal.detail);
    print_questions(console, questions_about(medium, refusals.empty()));
    return 0;
}

int describe(const Console& console, const DescribeOptions& options) {
    const auto target = app::target_called(options.agent, options.target);
    if (!target) return report(console, target.error());
    std::error_code unknown;
    if (options.agent.how != "lab" && std::filesystem::is_directory(*target, unknown)) {
        console.out << line_of(*target + ": a folder");
        print_questions(console, questions_about_folder(*target));
        return 0;
    }
    const auto medium = app::ask_agent(
        options.agent, [&](agent::AgentClient& agent, const agent::HelloReport&) { return agent.identify(*target); });
    return medium ? describe_medium(console, *medium) : report(console, medium.error());
}

} // namespace

void add_describe_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<DescribeOptions>();
    CLI::App* command = app.add_subcommand(
        "describe", "print the identity of a device, and the commands that answer questions about it");
    command->add_option("target", options->target, "block device, image file or directory")->required();
    add_agent_option(*command, options->agent);
    command->callback(
        [options, &console, &action] { action = [options, &console] { return describe(console, *options); }; });
}

void add_suites_command(CLI::App& app, Console& console, Action& action) {
    CLI::App* command = app.add_subcommand("suites", "list the suites, one line each");
    command->callback([&console, &action] {
        action = [&console] {
            console.out << suites_text(console.columns);
            return 0;
        };
    });
}

} // namespace mediarig::cli

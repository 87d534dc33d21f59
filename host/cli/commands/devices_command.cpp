// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "host/app/files/nickname_file.hpp"
#include "host/base/text.hpp"
#include "host/base/version.hpp"
#include "host/cli/commands/lab_command.hpp"
#include "host/cli/text/text.hpp"
#include "host/lab/resident/lab_paths.hpp"
#include "host/media/identity/confirmation.hpp"

namespace mediarig::cli {
namespace {

struct DevicesOptions {
    app::AgentChoice agent{.how = "local"};
    Facts facts;
};

using media::Medium;

bool is_empty_loop(const Medium& medium) {
    return medium.transport == media::Transport::loop && medium.size == 0_B;
}

/// Uses the confirmation to type, which distinguishes two media with the same serial.
std::vector<std::string> refusals_of(const Medium& medium) {
    std::vector<std::string> lines;
    for (const media::Refusal& refusal : media::permanent_refusals(medium, media::confirmation_to_type(medium)))
        lines.push_back(refusal.detail);
    return lines;
}

/// Limit of the table's columns except the last column, which is never shortened because the user types its text.
constexpr std::size_t widest_model = 24;

/// Returns a row of the table. `confirm` is empty if the medium cannot be confirmed.
std::string row_of(const Medium& medium, const std::string& nickname, const std::string& confirm, std::size_t width) {
    const std::string node = cut_to(printable(medium.node), 14);
    const std::string row = fmt::format("{}{:>9}  {:<8}", node + std::string(16 - display_width(node), ' '),
                                        size_text(medium.size), cut_to(media::name_of(medium.transport), 8));
    const std::string called = nickname.empty() ? "" : '"' + nickname + '"';
    const std::string model = cut_to(printable(joined({called, medium.vendor, medium.model})), widest_model);
    if (confirm.empty()) return row + model + '\n';
    const std::string start = row + model + std::string(widest_model - display_width(model) + 2, ' ');
    if (display_width(start) + display_width(confirm) <= width) return start + confirm + '\n';
    return start + "(below)\n    to confirm, type: " + confirm + '\n';
}

void print_table(const Console& console, std::vector<Medium> media, const Nicknames& names) {
    std::erase_if(media, is_empty_loop);
    std::stable_partition(media.begin(), media.end(), [](const Medium& medium) { return refusals_of(medium).empty(); });
    if (media.empty()) {
        console.out << "no block device found\n";
        return;
    }
    const Medium* previous = nullptr;
    for (const Medium& medium : media) {
        const std::vector<std::string> refusals = refusals_of(medium);
        const bool begins = previous == nullptr || refusals_of(*previous).empty() != refusals.empty();
        if (begins)
            console.out << (previous != nullptr ? "\n" : "")
                        << (refusals.empty() ? fmt::format("{:<16}{:>9}  {:<8}{:<26}TO CONFIRM, TYPE\n",
                                                           "MAY BE TESTED", "SIZE", "VIA", "MODEL")
                                             : fmt::format("{:<16}{:>9}  {:<8}MODEL\n", "NOT TESTED", "SIZE", "VIA"));
        const std::string confirm = refusals.empty() ? printable(media::confirmation_to_type(medium)) : std::string();
        console.out << row_of(medium, names.of(media::confirmation_of(medium)), confirm, console.columns);
        for (const std::string& why : refusals) console.out << paragraph(why, console.columns, 4);
        previous = &medium;
    }
}

} // namespace

int list_devices(const Console& console, const app::AgentChoice& choice, const Facts& facts) {
    if (auto possible = check_json_file(facts); !possible) return report(console, possible.error());
    const auto media =
        app::ask_agent(choice, [](agent::AgentClient& agent, const agent::HelloReport&) { return agent.devices(); });
    if (!media) return report(console, media.error());
    const Nicknames names = app::nicknames_to_show();
    nlohmann::json list = nlohmann::json::array();
    for (const Medium& medium : *media) {
        list.push_back(media::to_json(medium));
        list.back()["confirm"] = media::confirmation_to_type(medium);
        list.back()["nickname"] = names.of(media::confirmation_of(medium));
    }
    return tell(console, facts, {{"mediarig_devices", 1}, {"devices", list}}, [&] {
        print_table(console, *media, names);
        if (choice.how != "lab" && lab::lab_process(lab::default_lab_place()))
            console.out << "\na lab is running: 'mediarig lab devices' lists its devices; --agent lab, or "
                           "MEDIARIG_AGENT=lab, selects it\n";
    });
}

void add_devices_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<DevicesOptions>();
    CLI::App* command =
        app.add_subcommand("devices", "list block devices, their identity, and why each may or may not be tested");
    add_json_option(*command, options->facts);
    add_agent_option(*command, options->agent);
    command->callback([options, &console, &action] {
        action = [options, &console] { return list_devices(console, options->agent, options->facts); };
    });
}

} // namespace mediarig::cli

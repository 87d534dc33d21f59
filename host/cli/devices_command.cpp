// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "host/cli/lab_commands.hpp"
#include "host/cli/text.hpp"
#include "host/version.hpp"

namespace mediarig::cli {
namespace {

struct DevicesOptions {
    app::AgentChoice agent{.how = "local"};
    bool json{};
};

std::string first_refusal(const media::Medium& medium) {
    if (medium.refusals.empty()) return "may be tested";
    const std::string more =
        medium.refusals.size() > 1 ? fmt::format(" (and {} more)", medium.refusals.size() - 1) : "";
    return "no: " + medium.refusals.front().detail + more;
}

void print_table(const Console& console, const std::vector<media::Medium>& media) {
    Table table({"DEVICE", "SIZE", "VIA", "MODEL", "SERIAL", "TEST"});
    for (const media::Medium& medium : media)
        table.add({medium.node, readable_size(medium.size), std::string(media::name_of(medium.transport)),
                   joined({medium.vendor, medium.model}), medium.serial, first_refusal(medium)});
    console.out << table.text();
}

} // namespace

int list_devices(const Console& console, const app::AgentChoice& choice, bool as_json) {
    session::StopSignal stop;
    std::vector<media::Medium> media;
    const auto done = app::with_agent(
        choice, stop,
        [&](agent::AgentClient& agent, const agent::HelloReport&) -> boost::asio::awaitable<Result<void>> {
            auto listed = co_await agent.devices();
            if (!listed) co_return fail(listed.error());
            media = std::move(*listed);
            co_return Result<void>{};
        });
    if (!done) return report(console, done.error());
    if (as_json) {
        nlohmann::json list = nlohmann::json::array();
        for (const media::Medium& medium : media) list.push_back(media::to_json(medium));
        print_json(console, {{"mediarig_devices", 1}, {"devices", list}});
    } else {
        print_table(console, media);
    }
    return 0;
}

void add_devices_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<DevicesOptions>();
    CLI::App* command = app.add_subcommand(
        "devices", "every block device, what it says of itself, and why it may or may not be tested");
    command->add_flag("--json", options->json, "the same as JSON");
    add_agent_option(*command, options->agent);
    command->callback([options, &console, &action] {
        action = [options, &console] { return list_devices(console, options->agent, options->json); };
    });
}

} // namespace mediarig::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "host/cli/command.hpp"
#include "host/cli/text.hpp"

namespace mediarig::cli {
namespace {

struct Options {
    std::string target;
    app::AgentChoice agent;
    bool json{};
};

struct Seen {
    media::Medium identity;
    media::InspectReport content;
};

void print_identity(const Console& console, const media::Medium& medium) {
    console.out << fmt::format("{}: {}, {} in sectors of {} B\n", medium.node,
                               joined({media::name_of(medium.transport), medium.vendor, medium.model,
                                       medium.serial.empty() ? "without a serial" : "serial " + medium.serial}),
                               readable_size(medium.size), medium.logical_sector);
    for (const media::Refusal& refusal : medium.refusals)
        console.out << "may not be written: " << refusal.detail << '\n';
}

void print_content(const Console& console, const media::InspectReport& content) {
    console.out << fmt::format("partition table: {}\n", content.scheme);
    for (const media::InspectedVolume& volume : content.volumes) {
        console.out << fmt::format("\nvolume at byte {}, {} long: {}{}\n", volume.start.count,
                                   readable_size(volume.length),
                                   volume.file_system.empty() ? "no file system known" : volume.file_system,
                                   volume.label.empty() ? "" : ", label " + volume.label);
        if (!volume.problem.empty()) console.out << "does not parse: " << volume.problem << '\n';
        Table table({"PARAMETER", "VALUE"});
        for (const auto& [name, value] : volume.parameters) table.add({name, value});
        if (!volume.parameters.empty()) console.out << table.text();
    }
}

int inspect(const Console& console, const Options& options) {
    session::StopSignal stop;
    std::optional<Seen> seen;
    const auto done = app::with_agent(
        options.agent, stop,
        [&](agent::AgentClient& agent, const agent::HelloReport&) -> boost::asio::awaitable<Result<void>> {
            auto identity = co_await agent.identify(options.target);
            if (!identity) co_return fail(identity.error());
            auto content = co_await agent.inspect(options.target);
            if (!content) co_return fail(content.error());
            seen = Seen{std::move(*identity), std::move(*content)};
            co_return Result<void>{};
        });
    if (!done) return report(console, done.error());
    if (options.json) {
        console.out << nlohmann::json{{"mediarig_inspect", 1},
                                      {"identity", media::to_json(seen->identity)},
                                      {"content", media::to_json(seen->content)}}
                           .dump(2)
                    << '\n';
        return 0;
    }
    print_identity(console, seen->identity);
    print_content(console, seen->content);
    return 0;
}

} // namespace

void add_inspect_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("inspect", "what is on a medium; reads only");
    command->add_option("target", options->target, "block device or image file")->required();
    command->add_flag("--json", options->json, "the same as JSON");
    add_agent_option(*command, options->agent);
    command->callback(
        [options, &console, &action] { action = [options, &console] { return inspect(console, *options); }; });
}

} // namespace mediarig::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "host/cli/command.hpp"
#include "host/cli/text.hpp"

namespace mediarig::cli {
namespace {

struct Options {
    std::string target, fs, label, volume_id, confirm;
    std::uint64_t cluster_size{}, journal_size{};
    app::AgentChoice agent;
    bool json{};
};

struct Made {
    media::FormatReport format;
    media::CheckReport check;
};

boost::asio::awaitable<Result<Made>> format_and_check(agent::AgentClient& agent, agent::ClaimId claim,
                                                      const media::FormatSpec& spec) {
    auto format = co_await agent.format(claim, spec);
    if (!format) co_return fail(format.error());
    auto check = co_await agent.check(claim, spec.fs);
    if (!check) co_return fail(check.error());
    co_return Made{std::move(*format), std::move(*check)};
}

Result<media::FormatSpec> spec_of(const Options& options) {
    const auto fs = media::file_system_from(options.fs);
    if (!fs) return fail(fs.error());
    media::FormatSpec spec{.fs = *fs, .cluster_size = std::nullopt, .label = options.label};
    if (options.cluster_size != 0) spec.cluster_size = Bytes{options.cluster_size};
    if (options.journal_size != 0) spec.journal_size = Bytes{options.journal_size};
    if (!options.volume_id.empty()) {
        std::uint64_t id = 0;
        const char* const end = options.volume_id.data() + options.volume_id.size();
        const auto [read, failed] = std::from_chars(options.volume_id.data(), end, id, 16);
        if (failed != std::errc() || read != end || options.volume_id.size() != 16)
            return fail(Errc::bad_request, "--volume-id takes sixteen hexadecimal digits: 0123456789abcdef");
        spec.volume_id = id;
    }
    return spec;
}

void print(const Console& console, const Options& options, const Made& made) {
    const media::FormatReport& format = made.format;
    if (options.json) {
        console.out << nlohmann::json{{"mediarig_format", 1},
                                      {"format", media::to_json(format)},
                                      {"check", media::to_json(made.check)}}
                           .dump(2)
                    << '\n';
        return;
    }
    Table table({"PARAMETER", "VALUE"});
    for (const auto& [name, value] : format.parameters) table.add({name, value});
    console.out << fmt::format(
        "{} holds {}, made by {} {}; {} usable; {} {} finds it {}.\nRead back from the medium:\n{}", options.target,
        media::title_of(format.fs), format.tool, format.tool_version, readable_size(format.usable), made.check.tool,
        made.check.tool_version, made.check.clean ? "clean" : "damaged", table.text());
    if (!made.check.clean)
        for (const std::string& line : made.check.said) console.out << line << '\n';
}

int format(const Console& console, const Options& options) {
    const auto spec = spec_of(options);
    if (!spec) return report(console, spec.error());
    session::StopSignal stop;
    std::optional<Made> made;
    const auto done = app::with_agent(
        options.agent, stop,
        [&](agent::AgentClient& agent, const agent::HelloReport&) -> boost::asio::awaitable<Result<void>> {
            auto claimed = co_await agent.claim(options.target, options.confirm);
            if (!claimed) co_return fail(claimed.error());
            auto result = co_await format_and_check(agent, claimed->claim, *spec);
            auto released = co_await agent.release(claimed->claim);
            if (!result) co_return fail(result.error());
            if (!released) co_return fail(released.error());
            made = std::move(*result);
            co_return Result<void>{};
        });
    if (!done) return report(console, done.error());
    print(console, options, *made);
    return made->check.clean ? 0 : 1;
}

} // namespace

void add_format_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("format", "make a file system, read its parameters back, and check it");
    command->add_option("target", options->target, "block device or image file")->required();
    command->add_option("--fs", options->fs, "exfat, apfs, hfs+j, hfs+ or hfsx+j")->required();
    command->add_option("--cluster-size", options->cluster_size, "bytes, or with a unit: 128KiB")
        ->transform(CLI::AsSizeValue(false));
    command->add_option("--label", options->label, "volume label");
    command->add_option("--journal-size", options->journal_size, "HFS+ only: bytes, or with a unit: 16MiB")
        ->transform(CLI::AsSizeValue(false));
    command->add_option("--volume-id", options->volume_id,
                        "HFS+ only: sixteen hexadecimal digits, for a repeatable UUID");
    command
        ->add_option("--confirm", options->confirm,
                     "the device's serial (its path, where it has none): what is on it will be destroyed")
        ->required();
    command->add_flag("--json", options->json, "the result as JSON");
    add_agent_option(*command, options->agent);
    command->callback(
        [options, &console, &action] { action = [options, &console] { return format(console, *options); }; });
}

} // namespace mediarig::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <system_error>
#include <utility>

#include "host/app/files/nickname_file.hpp"
#include "host/app/files/text_file.hpp"
#include "host/app/preflight.hpp"
#include "host/app/target.hpp"
#include "host/cli/command.hpp"
#include "host/cli/commands/ask_confirmation.hpp"
#include "host/cli/facts.hpp"
#include "host/cli/manual/manual.hpp"
#include "host/cli/manual/mistakes.hpp"
#include "host/cli/text/inspect_text.hpp"
#include "host/cli/text/text.hpp"
#include "host/media/conformance/profile_format.hpp"
#include "host/media/conformance/rules.hpp"
#include "host/plan/plan.hpp"

namespace mediarig::cli {
namespace {

struct FormatOptions {
    std::string target, fs, profile, table, label, volume_id, confirm;
    std::optional<std::uint64_t> cluster_size, journal_size, partition_start, length;
    app::AgentChoice agent;
    Facts facts;
    bool contents_unknown{}, use_unknown{};
};

struct FormatResult {
    media::FormatReport format;
    media::CheckReport check;
    std::vector<media::Deviation> deviations; ///< deviations from the maker's profile
};

/// The requested format: options and known layouts, or a maker's profile.
struct FormatRequest {
    plan::FormatEntry entry;
    std::optional<media::Profile> profile;
};

boost::asio::awaitable<Result<FormatResult>> format_and_check(agent::AgentClient& agent, agent::ClaimId claim,
                                                              const media::FormatSpec& spec) {
    auto format = co_await agent.format(claim, spec);
    if (!format) co_return fail(format.error());
    auto check = co_await agent.check(claim, spec.fs);
    if (!check) co_return fail(check.error());
    co_return FormatResult{std::move(*format), std::move(*check), {}};
}

constexpr Bytes default_partition_start = 1_MiB; ///< as in media::PartitionSpec

/// Rejects contradicting options before any medium is opened.
Result<void> check_format_options(const FormatOptions& options) {
    if (options.fs.empty() && options.profile.empty())
        return fail(
            Errc::bad_request,
            "the format is missing: add --fs and a file system, or --profile and sd, windows, macos, linux or a file");
    if (!options.profile.empty()) {
        for (const auto& [name, given] : {std::pair{"--cluster-size", options.cluster_size.has_value()},
                                          std::pair{"--journal-size", options.journal_size.has_value()},
                                          std::pair{"--table", !options.table.empty()},
                                          std::pair{"--partition-start", options.partition_start.has_value()},
                                          std::pair{"--length", options.length.has_value()}})
            if (given)
                return fail(
                    Errc::bad_request,
                    fmt::format("{} conflicts with --profile {}, which sets the same value: leave one of them out",
                                name, options.profile));
    }
    if (options.partition_start && (options.table.empty() || options.table == "none"))
        return fail(Errc::bad_request, "--partition-start needs a partition: add --table mbr or --table gpt");
    if (options.length && options.table != "mbr")
        return fail(Errc::bad_request,
                    "--length needs --table mbr: without a table a volume has the size of the medium, and a GPT has a "
                    "copy at the end of the medium, which a fake loses");
    return {};
}

Result<void> read_volume_id(const FormatOptions& options, media::FormatSpec& spec) {
    if (options.volume_id.empty()) return {};
    std::uint64_t id = 0;
    const char* const end = options.volume_id.data() + options.volume_id.size();
    const auto [read, failed] = std::from_chars(options.volume_id.data(), end, id, 16);
    if (failed != std::errc() || read != end || options.volume_id.size() != 16)
        return fail(Errc::bad_request, "--volume-id takes sixteen hexadecimal digits, for example 0123456789abcdef");
    spec.volume_id = id;
    return {};
}

/// Returns the options as a plan entry. A profile stays unresolved, because it depends on the medium, which is not
/// known yet.
Result<plan::FormatEntry> entry_of(const FormatOptions& options) {
    if (auto sensible = check_format_options(options); !sensible) return fail(sensible.error());
    plan::FormatEntry entry;
    if (!options.fs.empty()) {
        const auto fs = media::file_system_from(options.fs);
        if (!fs) {
            const std::string near = meant(options.fs, media::file_system_names());
            if (near.empty()) return fail(fs.error());
            return fail(Errc::bad_request, fmt::format("unknown file system '{}'{}", options.fs, near));
        }
        entry.spec.fs = *fs;
    }
    if (!options.profile.empty()) {
        const auto profile = from_word<media::FormatProfile>(options.profile, "format profile");
        if (!profile) return fail(profile.error());
        entry.profile = *profile;
        if (!options.fs.empty()) entry.wanted = std::exchange(entry.spec.fs, {});
    }
    entry.spec.label = options.label;
    if (options.cluster_size) entry.spec.cluster_size = Bytes{*options.cluster_size};
    if (options.journal_size) entry.spec.journal_size = Bytes{*options.journal_size};
    if (!options.table.empty()) {
        const auto table = from_word<media::TableScheme>(options.table, "partition table");
        if (!table) return fail(table.error());
        if (*table != media::TableScheme::none) entry.spec.partition = media::PartitionSpec{.table = *table};
    }
    if (options.partition_start) entry.spec.partition->start = Bytes{*options.partition_start};
    if (options.length) {
        media::PartitionSpec& partition = *entry.spec.partition;
        const Bytes start = partition.start.value_or(default_partition_start);
        if (Bytes{*options.length} <= start)
            return fail(Errc::bad_request, fmt::format("--length {} ends before the start of the partition at byte {}",
                                                       *options.length, start.count));
        partition.length = align_down(Bytes{*options.length} - start, 1_MiB);
        if (*partition.length == 0_B)
            return fail(Errc::bad_request, "--length leaves less than 1 MiB for the partition: choose a longer one");
    }
    if (auto read = read_volume_id(options, entry.spec); !read) return fail(read.error());
    return entry;
}

Result<FormatRequest> request_of(const FormatOptions& options) {
    if (!app::names_profile_file(options.profile)) {
        auto entry = entry_of(options);
        if (!entry) return fail(entry.error());
        return FormatRequest{std::move(*entry), std::nullopt};
    }
    if (auto sensible = check_format_options(options); !sensible) return fail(sensible.error());
    for (const auto& [name, given] :
         {std::pair{"--fs", !options.fs.empty()}, std::pair{"--label", !options.label.empty()}})
        if (given)
            return fail(Errc::bad_request, fmt::format("{} conflicts with --profile {}, which sets the same value: "
                                                       "leave one of them out, or write another profile",
                                                       name, options.profile));
    auto profile = app::read_profile(options.profile);
    if (!profile) return fail(profile.error());
    plan::FormatEntry entry;
    if (auto read = read_volume_id(options, entry.spec); !read) return fail(read.error());
    return FormatRequest{std::move(entry), std::move(*profile)};
}

Result<media::FormatSpec> spec_for(const FormatRequest& request, const media::Medium& medium) {
    if (!request.profile) return plan::spec_for(request.entry, medium.size, medium.logical_sector);
    auto spec = media::spec_from(*request.profile, medium.size);
    if (spec) spec->volume_id = request.entry.spec.volume_id;
    return spec;
}

/// E.g. "in partition 1 (MBR) from byte 16777216, 63.9 GB, written by sfdisk 2.38.1"; empty for a whole medium.
std::string where_of(const media::FormatReport& format) {
    if (!format.partition) return {};
    const media::CreatedPartition& made = *format.partition;
    return fmt::format(" in partition {} ({}) from byte {}, {}, written by {} {}", made.number,
                       made.table == media::TableScheme::gpt ? "GPT" : "MBR", made.start.count, size_text(made.length),
                       made.tool, made.tool_version);
}

boost::asio::awaitable<Result<FormatResult>> make(agent::AgentClient& agent, const agent::Claimed& claimed,
                                                  const FormatRequest& request) {
    const auto spec = spec_for(request, claimed.medium);
    if (!spec) co_return fail(spec.error());
    co_return co_await format_and_check(agent, claimed.claim, *spec);
}

bool is_of_cards(media::FileSystem fs) {
    return fs == media::FileSystem::exfat || fs == media::FileSystem::fat32 || fs == media::FileSystem::fat16 ||
           fs == media::FileSystem::fat12;
}

void print(const Console& console, const FormatOptions& options, const FormatResult& made) {
    const media::FormatReport& format = made.format;
    TextTable table({"PARAMETER", "VALUE"});
    for (const auto& [name, value] : format.parameters) table.add({name, value});
    // The result comes last: a terminal of 24 rows cannot show all parameters.
    console.out << "Read back from the medium:\n"
                << table.text(console.columns) << '\n'
                << line_of(fmt::format("{} holds {}{}, made by {} {}; {} usable; {} {} finds it {}.", options.target,
                                       media::title_of(format.fs), where_of(format), format.tool, format.tool_version,
                                       size_text(format.usable), made.check.tool, made.check.tool_version,
                                       made.check.clean ? "clean" : "damaged"));
    if (!format.partition && is_of_cards(format.fs))
        console.out << paragraph(
            "It has no partition table, and cameras and players expect one: --profile sd makes "
            "the layout of an SD card, --table mbr a partition.",
            console.columns);
    if (options.length)
        console.out << paragraph(
            fmt::format("The volume ends at {}; the medium still reports its full size. Another program can format all "
                        "of it again, and then data are lost beyond the real memory. Do not sell a fake, and keep no "
                        "only copy on it: its memory is often of low quality.",
                        size_text(format.partition->start + format.partition->length)),
            console.columns);
    if (!made.check.clean)
        for (const std::string& line : made.check.said) console.out << line_of(line);
    if (app::names_profile_file(options.profile))
        console.out << '\n' << text_of(made.deviations, "the profile " + options.profile);
}

int format(const Console& console, FormatOptions options) {
    const auto request = request_of(options);
    if (!request) return report(console, request.error());
    if (auto possible = check_json_file(options.facts); !possible) return report(console, possible.error());
    const auto target = app::target_called(options.agent, options.target);
    if (!target) return report(console, target.error());
    options.target = *target;
    if (options.confirm.empty() && console.answers == nullptr)
        return report(
            console,
            app::permanent_refusal(options.agent, options.target)
                .value_or(app::unconfirmed({.name = options.target, .elsewhere = options.agent.how == "lab"})));
    if (options.confirm.empty()) {
        auto confirmed = ask_confirmation(console, options.agent, options.target, WriteEffect::erases);
        if (!confirmed) return report(console, confirmed.error());
        options.confirm = std::move(*confirmed);
    }
    std::error_code unknown;
    if (std::filesystem::is_regular_file(options.target, unknown) || options.confirm.find('/') != std::string::npos)
        options.confirm = app::canonical_path(options.confirm);
    campaign::StopSignal stop;
    std::optional<FormatResult> made;
    app::AgentChoice choice = options.agent;
    choice.devices = {options.target};
    const auto done = app::with_agent(
        choice, stop,
        [&](agent::AgentClient& agent, const agent::HelloReport&) -> boost::asio::awaitable<Result<void>> {
            const auto contents =
                options.contents_unknown ? media::Contents::may_be_unknown : media::Contents::must_be_known;
            const auto use = options.use_unknown ? media::Use::may_be_unknown : media::Use::must_be_known;
            // Create the aggregate outside the co_await expression, because GCC 12 would destroy it twice.
            const media::ClaimRequest wanted{
                .target = options.target, .confirm = options.confirm, .presence = {}, .contents = contents, .use = use};
            auto claimed = co_await agent.claim(wanted);
            if (!claimed) co_return fail(claimed.error());
            Result<FormatResult> result = fail(Errc::cancelled, stop.why() + "; nothing was written");
            if (!stop.requested()) result = co_await make(agent, *claimed, *request);
            auto released = co_await agent.release(claimed->claim);
            if (!result) co_return fail(result.error());
            if (!released) co_return fail(released.error());
            made = std::move(*result);
            if (!request->profile) co_return Result<void>{};
            // Read the medium back: only the medium shows the parameters that the formatter chose.
            const auto content = co_await agent.inspect(options.target);
            if (!content) co_return fail(content.error());
            made->deviations = media::deviations_from(*request->profile, *content);
            co_return Result<void>{};
        });
    if (!done) return report(console, done.error());
    nlohmann::json found{
        {"mediarig_format", 1}, {"format", media::to_json(made->format)}, {"check", media::to_json(made->check)}};
    if (request->profile) {
        found["deviations"] = nlohmann::json::array();
        for (const media::Deviation& deviation : made->deviations)
            found["deviations"].push_back(media::to_json(deviation));
    }
    if (const int failed = tell(console, options.facts, found, [&] { print(console, options, *made); }); failed != 0)
        return failed;
    return made->check.clean && media::has_no_warning(made->deviations) ? 0 : 1;
}

} // namespace

void add_format_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<FormatOptions>();
    CLI::App* command = app.add_subcommand("format", "make a file system, read its parameters back, and check it");
    command->add_option("target", options->target, "block device or image file")->required();
    propose(*command->add_option("--fs", options->fs, "exfat, fat32, fat16, fat12, apfs, hfs+j, hfs+ or hfsx+j"),
            media::file_system_names());
    propose(*command->add_option("--profile", options->profile,
                                 "the layout that inspect --expect checks under the same name: sd, windows, macos, "
                                 "linux, or the path of a profile (a name with a dot or a slash)"),
            choices<media::FormatProfile>());
    propose(*command->add_option("--table", options->table,
                                 "partition table: none (default without a profile), mbr or gpt"),
            choices<media::TableScheme>());
    command
        ->add_option("--partition-start", options->partition_start,
                     "start of the partition on the medium: bytes, or with a unit (default: 1MiB)")
        ->transform(as_size());
    command
        ->add_option(
            "--length", options->length,
            "with --table mbr: use only the first part of the medium up to this size, for the real memory of a "
            "fake (see verify)")
        ->transform(as_size());
    command->add_option("--cluster-size", options->cluster_size, "bytes, or with a unit: 128KiB")->transform(as_size());
    command->add_option("--label", options->label, "volume label")->type_name("LABEL")->configurable();
    command->add_option("--journal-size", options->journal_size, "HFS+ only: bytes, or with a unit: 16MiB")
        ->transform(as_size());
    command->add_option("--volume-id", options->volume_id,
                        "HFS+ only: sixteen hexadecimal digits, for a repeatable UUID");
    add_confirm_option(*command, options->confirm);
    add_contents_option(*command, options->contents_unknown);
    add_use_option(*command, options->use_unknown);
    add_json_option(*command, options->facts);
    add_agent_option(*command, options->agent);
    command->callback(
        [options, &console, &action] { action = [options, &console] { return format(console, *options); }; });
}

} // namespace mediarig::cli

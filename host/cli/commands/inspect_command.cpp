// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <system_error>
#include <utility>
#include <vector>

#include "host/app/files/nickname_file.hpp"
#include "host/app/files/text_file.hpp"
#include "host/base/json/json_text.hpp"
#include "host/cli/command.hpp"
#include "host/cli/facts.hpp"
#include "host/cli/manual/manual.hpp"
#include "host/cli/text/identity_text.hpp"
#include "host/cli/text/inspect_text.hpp"
#include "host/cli/text/text.hpp"
#include "host/media/conformance/alignment.hpp"
#include "host/media/conformance/profile.hpp"
#include "host/media/conformance/rules.hpp"
#include "host/media/history/earlier_use.hpp"

namespace mediarig::cli {
namespace {

struct InspectOptions {
    std::string target;
    app::AgentChoice agent;
    std::optional<std::string> conformance;  ///< a known standard, or the path of a profile
    std::optional<std::string> hex;          ///< name of a parameter
    std::optional<std::string> save_profile; ///< path of the profile to write
    bool quiet{};
    Facts facts;
};

struct InspectedMedium {
    media::Medium identity;
    std::vector<media::Medium> others; ///< other media that are attached at the same time
    media::InspectReport content;
};

std::string nickname_of(const media::Medium& medium) {
    return app::nicknames_to_show().of(media::confirmation_of(medium));
}

void print_identity(const Console& console, const media::Medium& medium) {
    console.out << line_of(fmt::format("{}: {}, {} in sectors of {} B", medium.node,
                                       joined({media::name_of(medium.transport), medium.vendor, medium.model,
                                               medium.serial.empty() ? "without a serial" : "serial " + medium.serial}),
                                       size_text(medium.size), medium.logical_sector));
    if (const std::string name = nickname_of(medium); !name.empty())
        console.out << line_of(fmt::format("nickname: {}", name));
    for (const media::Refusal& refusal : medium.refusals)
        console.out << line_of("may not be erased: " + refusal.detail);
}

/// The reference for the comparison: a known standard, "sound" by default, or a profile. It is read before the medium.
struct ConformanceCheck {
    std::optional<media::ConformanceStandard> known;
    std::optional<media::Profile> profile;
    [[nodiscard]] bool asked() const { return known || profile; }
    [[nodiscard]] media::ConformanceStandard standard() const {
        return known.value_or(media::ConformanceStandard::sound);
    }
    [[nodiscard]] std::vector<media::Deviation> deviations(const media::InspectReport& content) const {
        return profile ? media::deviations_from(*profile, content) : media::deviations_from(standard(), content);
    }
};

Result<ConformanceCheck> conformance_check_of(const InspectOptions& options) {
    ConformanceCheck conformance;
    if (!options.conformance) return conformance;
    if (!app::names_profile_file(*options.conformance)) {
        const auto known = media::standard_from(*options.conformance);
        if (!known) return fail(known.error());
        conformance.known = *known;
        return conformance;
    }
    auto profile = app::read_profile(*options.conformance);
    if (!profile) return fail(profile.error());
    conformance.profile = std::move(*profile);
    return conformance;
}

/// The title of the reference, for text after "Against ".
std::string title_of(const ConformanceCheck& conformance, const std::string& typed) {
    using media::ConformanceStandard;
    if (conformance.profile) return "the profile " + typed;
    switch (conformance.standard()) {
        case ConformanceStandard::sd:
            return "the layout of the SD Association (sd)";
        case ConformanceStandard::windows:
            return "the layout of Windows (windows)";
        case ConformanceStandard::macos:
            return "the layout of macOS (macos)";
        case ConformanceStandard::linux:
            return "the layout of Linux (linux)";
        case ConformanceStandard::sound:
            break;
    }
    return "the rules for every medium (sound)";
}

/// Beginning of JSON profiles that this program writes.
constexpr const char* profile_begins = "{\n  ";

/// Rejects contradicting options and protects existing files before any medium is opened.
Result<void> check_inspect_options(const InspectOptions& options) {
    for (const auto& [name, given] : {std::pair{"--expect", options.conformance}, std::pair{"--hex", options.hex},
                                      std::pair{"--save-profile", options.save_profile}})
        if (given && given->empty())
            return fail(Errc::bad_request, fmt::format("{} needs a value: give one, or leave the option out", name));
    for (const auto& [name, given] :
         {std::pair{"--json", options.facts.json.asked()}, std::pair{"--expect", options.conformance.has_value()},
          std::pair{"--quiet", options.quiet}})
        if (given && options.hex)
            return fail(Errc::bad_request,
                        fmt::format("--hex shows only bytes: leave {} out, or run the command twice", name));
    std::vector<SecondOutput> outputs;
    if (options.save_profile) outputs.push_back({"--save-profile", {*options.save_profile}, profile_begins});
    // A mistyped name may be the name of any file: overwrite only profiles and empty files.
    std::error_code unknown;
    if (!options.save_profile || !std::filesystem::is_regular_file(*options.save_profile, unknown))
        return check_outputs(options.facts, outputs);
    const auto text = app::read_text(*options.save_profile);
    if (text && text->empty()) return check_outputs(options.facts, outputs);
    if (!text || !media::profile_from_json(*text))
        return fail(Errc::bad_request,
                    fmt::format("{} exists and is not a profile: it was not changed; choose another name",
                                *options.save_profile));
    // Use the beginning of the existing profile: a user may have written it by hand.
    outputs.front().begins = *text;
    outputs.front().edited = true;
    return check_outputs(options.facts, outputs);
}

/// True if the medium is damaged or incompletely readable.
bool is_damaged(const media::InspectReport& content) {
    return !content.problem.empty() || !content.unread.empty() ||
           std::ranges::any_of(content.volumes,
                               [](const media::InspectedVolume& volume) { return !volume.problem.empty(); });
}

/// 1 if the medium is damaged or incompletely readable, or if a deviation is more than a note.
int status_of(const media::InspectReport& content, const std::vector<media::Deviation>& deviations) {
    return is_damaged(content) || !media::has_no_warning(deviations) ? 1 : 0;
}

/// Saves a profile only of a sound medium: parts that could not be read would be missing in the profile. A position or
/// a table against the rules may be that of the maker.
Result<void> save_profile(const Console& console, const InspectOptions& options, const media::InspectReport& golden) {
    const std::string& file = *options.save_profile;
    if (is_damaged(golden) || media::has_fault_mark(golden)) {
        console.err << line_of(fmt::format(
            "mediarig: {} is not written: this medium has the faults shown; make the profile from a sound medium",
            file));
        return {};
    }
    const media::Profile profile = media::profile_from(golden, std::filesystem::path(file).stem().string());
    // A file name may be invalid UTF-8.
    const auto existing = options.facts.force ? app::Existing::edited : app::Existing::kept;
    auto written = app::write_text(file, codec::json_text(media::to_json(profile)) + '\n', existing);
    if (written) console.err << line_of(fmt::format("mediarig: {} is written: a profile of media of this size", file));
    return written;
}

/// Adds deviations from the card's own allocation unit to the deviations from the requested reference.
void add_against_unit(const InspectedMedium& seen, media::ConformanceStandard expected,
                      std::vector<media::Deviation>& deviations) {
    if (!seen.identity.sd || !seen.identity.sd->allocation_unit) return;
    for (media::Deviation& found :
         media::deviations_against_unit(seen.content, *seen.identity.sd->allocation_unit, expected))
        deviations.push_back(std::move(found));
}

/// Adds the name of the medium to its error message, which contains only the position.
Error named(Error error, const std::string& target) {
    if (error.code == Errc::io_failed)
        error.detail = fmt::format("{}: {}; the cable, the port or the reader may be the cause: try others first",
                                   target, error.detail);
    if (error.code == Errc::bad_format) error.detail = fmt::format("{}: {}", target, error.detail);
    return error;
}

nlohmann::json json_of(const InspectedMedium& seen, const std::vector<media::Deviation>& deviations) {
    nlohmann::json object{{"mediarig_inspect", 1},
                          {"identity", media::to_json(seen.identity)},
                          {"content", media::to_json(seen.content)}};
    object["nickname"] = nickname_of(seen.identity);
    add_identity(object, seen.identity, seen.others, this_month());
    add_alignment(object, seen.content, seen.identity);
    object["earlier_use"] = media::to_json(media::earlier_use_of(seen.identity, seen.content));
    object["deviations"] = nlohmann::json::array();
    for (const media::Deviation& deviation : deviations) object["deviations"].push_back(media::to_json(deviation));
    return object;
}

boost::asio::awaitable<Result<InspectedMedium>> look_at(agent::AgentClient& agent, const std::string& target) {
    auto identity = co_await agent.identify(target);
    if (!identity) co_return fail(identity.error());
    if (media::may_have_smart(*identity)) {
        if (auto smart = co_await agent.smart(target)) identity->smart = std::move(*smart);
    }
    if (media::may_have_card_health(*identity)) {
        if (auto health = co_await agent.card_health(target)) identity->health = std::move(*health);
    }
    std::vector<media::Medium> others;
    if (identity->sd || identity->usb) {
        auto attached = co_await agent.devices();
        if (!attached) co_return fail(attached.error());
        others = std::move(*attached);
        std::erase_if(others, [&](const media::Medium& one) { return one.node == identity->node; });
    }
    auto content = co_await agent.inspect(target);
    if (!content) co_return fail(named(content.error(), target));
    co_return InspectedMedium{std::move(*identity), std::move(others), std::move(*content)};
}

int inspect(const Console& console, InspectOptions options) {
    if (const auto sensible = check_inspect_options(options); !sensible) return report(console, sensible.error());
    const auto conformance = conformance_check_of(options);
    if (!conformance) return report(console, conformance.error());
    const auto target = app::target_called(options.agent, options.target);
    if (!target) return report(console, target.error());
    options.target = *target;
    app::AgentChoice choice = options.agent;
    choice.devices = {options.target};
    const auto seen = app::ask_agent(
        choice, [&](agent::AgentClient& agent, const agent::HelloReport&) { return look_at(agent, options.target); });
    if (!seen) return report(console, seen.error());
    if (options.save_profile)
        if (const auto kept = save_profile(console, options, seen->content); !kept)
            return report(console, kept.error());
    std::vector<media::Deviation> deviations = conformance->deviations(seen->content);
    if (conformance->asked()) add_against_unit(*seen, conformance->standard(), deviations);
    if (options.hex) {
        const auto bytes = hex_of(seen->content, *options.hex);
        if (!bytes) return report(console, bytes.error());
        console.out << *bytes;
        return status_of(seen->content, deviations);
    }
    const int failed = tell(console, options.facts, json_of(*seen, deviations), [&] {
        const std::string against = text_of(deviations, title_of(*conformance, options.conformance.value_or("")));
        if (options.quiet) {
            console.out << (conformance->asked() ? against : summary_of(seen->content, deviations));
            return;
        }
        print_identity(console, seen->identity);
        const std::size_t width = console.out_terminal ? console.columns : std::numeric_limits<std::size_t>::max();
        console.out << identity_text(seen->identity, seen->others, this_month(),
                                     {.columns = width, .emulated = options.agent.how == "lab"})
                    << text_of(seen->content, width) << alignment_text(seen->content, seen->identity, width) << '\n'
                    << text_of(media::earlier_use_of(seen->identity, seen->content))
                    << summary_of(seen->content, deviations) << '\n'
                    << against;
    });
    if (failed != 0) return failed;
    return status_of(seen->content, deviations);
}

} // namespace

void add_inspect_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<InspectOptions>();
    CLI::App* command = app.add_subcommand("inspect", "show the contents of a medium; reads only");
    command->add_option("target", options->target, "block device or image file")->required();
    CLI::Option* const conformance =
        command
            ->add_option("--expect", options->conformance,
                         "expected layout: sound, sd, windows, macos, linux, or the path of a "
                         "profile (a name with a dot or a slash)")
            ->configurable();
    propose(*conformance, choices<media::ConformanceStandard>());
    command->add_flag("--quiet", options->quiet, "print only the last line; with --expect only the deviations");
    command->add_option("--hex", options->hex, "print the bytes of one parameter with their offset");
    command->add_option("--save-profile", options->save_profile,
                        "write a profile of this medium, for --expect and format --profile");
    add_json_option(*command, options->facts);
    add_agent_option(*command, options->agent);
    command->callback(
        [options, &console, &action] { action = [options, &console] { return inspect(console, *options); }; });
}

} // namespace mediarig::cli

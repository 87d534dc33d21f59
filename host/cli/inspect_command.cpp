// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <vector>

#include "host/app/text_file.hpp"
#include "host/cli/command.hpp"
#include "host/cli/identity_text.hpp"
#include "host/cli/inspect_text.hpp"
#include "host/cli/text.hpp"
#include "host/media/expect/alignment.hpp"
#include "host/media/expect/profile.hpp"
#include "host/media/expect/rules.hpp"

namespace mediarig::cli {
namespace {

struct Options {
    std::string target;
    app::AgentChoice agent;
    std::string expect;       ///< a known expectation, or the path of a profile
    std::string hex;          ///< name of a parameter
    std::string save_profile; ///< path of the profile to be written
    bool json{};
};

struct Seen {
    media::Medium identity;
    std::vector<media::Medium> others; ///< attached at the same time
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

/// What the user expects: nothing asked for, a known expectation, or a profile. Read before the medium is.
struct Expectations {
    std::optional<media::Expectation> known;
    std::optional<media::Profile> profile;
    [[nodiscard]] bool asked() const { return known || profile; }
    [[nodiscard]] std::vector<media::Deviation> deviations(const media::InspectReport& content) const {
        return profile ? media::deviations_from(*profile, content) : media::deviations_from(*known, content);
    }
};

Result<Expectations> expectations_of(const Options& options) {
    Expectations expectations;
    if (options.expect.empty()) return expectations;
    if (options.expect.find_first_of("/.") == std::string::npos) {
        const auto known = media::expectation_from(options.expect);
        if (!known) return fail(known.error());
        expectations.known = *known;
        return expectations;
    }
    const auto text = app::read_text(options.expect);
    if (!text) return fail(text.error());
    auto profile = media::profile_from_json(*text);
    if (!profile) return fail(Errc::bad_request, options.expect + " " + profile.error().detail);
    expectations.profile = std::move(*profile);
    return expectations;
}

/// 1 where something is wrong with the medium: damage that was met, bytes that it did not give, or a deviation that is
/// more than a note.
int status_of(const media::InspectReport& content, const std::vector<media::Deviation>& deviations) {
    bool found = !content.problem.empty() || !content.unread.empty();
    for (const media::InspectedVolume& volume : content.volumes) found = found || !volume.problem.empty();
    for (const media::Deviation& deviation : deviations) found = found || deviation.severity > media::Severity::note;
    return found ? 1 : 0;
}

/// What the card's own unit asks for, beside what the user does.
void add_against_unit(const Seen& seen, media::Expectation expected, std::vector<media::Deviation>& deviations) {
    if (!seen.identity.sd || !seen.identity.sd->allocation_unit) return;
    for (media::Deviation& found :
         media::deviations_against_unit(seen.content, *seen.identity.sd->allocation_unit, expected))
        deviations.push_back(std::move(found));
}

media::CalendarMonth this_month() {
    const std::chrono::year_month_day today{std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
    return {static_cast<std::uint16_t>(static_cast<int>(today.year())),
            static_cast<std::uint8_t>(static_cast<unsigned>(today.month()))};
}

nlohmann::json json_of(const Seen& seen, const std::vector<media::Deviation>& deviations, bool asked) {
    nlohmann::json object{{"mediarig_inspect", 1},
                          {"identity", media::to_json(seen.identity)},
                          {"content", media::to_json(seen.content)}};
    add_identity(object, seen.identity, seen.others, this_month());
    add_alignment(object, seen.content, seen.identity);
    if (!asked) return object;
    object["deviations"] = nlohmann::json::array();
    for (const media::Deviation& deviation : deviations) object["deviations"].push_back(media::to_json(deviation));
    return object;
}

int inspect(const Console& console, const Options& options) {
    const auto expectations = expectations_of(options);
    if (!expectations) return report(console, expectations.error());
    session::StopSignal stop;
    std::optional<Seen> seen;
    const auto done = app::with_agent(
        options.agent, stop,
        [&](agent::AgentClient& agent, const agent::HelloReport&) -> boost::asio::awaitable<Result<void>> {
            auto identity = co_await agent.identify(options.target);
            if (!identity) co_return fail(identity.error());
            if (media::may_have_smart(*identity)) {
                if (auto smart = co_await agent.smart(options.target)) identity->smart = std::move(*smart);
            }
            std::vector<media::Medium> others;
            if (identity->sd || identity->usb) {
                auto attached = co_await agent.devices();
                if (!attached) co_return fail(attached.error());
                others = std::move(*attached);
                std::erase_if(others, [&](const media::Medium& one) { return one.node == identity->node; });
            }
            auto content = co_await agent.inspect(options.target);
            if (!content) co_return fail(content.error());
            seen = Seen{std::move(*identity), std::move(others), std::move(*content)};
            co_return Result<void>{};
        });
    if (!done) return report(console, done.error());
    if (!options.save_profile.empty()) {
        const media::Profile profile =
            media::profile_from(seen->content, std::filesystem::path(options.save_profile).stem().string());
        const std::string text = media::to_json(profile).dump(2) + '\n';
        if (const auto kept = app::write_text(options.save_profile, text); !kept) return report(console, kept.error());
    }
    std::vector<media::Deviation> deviations;
    if (expectations->asked()) {
        deviations = expectations->deviations(seen->content);
        add_against_unit(*seen, expectations->known.value_or(media::Expectation::sound), deviations);
    }
    if (!options.hex.empty()) {
        const auto bytes = hex_of(seen->content, options.hex);
        if (!bytes) return report(console, bytes.error());
        console.out << *bytes;
    } else if (options.json) {
        console.out << json_of(*seen, deviations, expectations->asked()).dump(2) << '\n';
    } else {
        print_identity(console, seen->identity);
        console.out << identity_text(seen->identity, seen->others, this_month()) << text_of(seen->content)
                    << alignment_text(seen->content, seen->identity);
        if (expectations->asked()) console.out << fmt::format("\nagainst {}\n", options.expect) << text_of(deviations);
    }
    return status_of(seen->content, deviations);
}

} // namespace

void add_inspect_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("inspect", "what is on a medium; reads only");
    command->add_option("target", options->target, "block device or image file")->required();
    command->add_option("--expect", options->expect,
                        "what it should be: sound, sd, windows, macos, linux, or the path of a profile (a name with a "
                        "dot or a slash)");
    command->add_option("--hex", options->hex, "the very bytes of one parameter, with their offset");
    command->add_option("--save-profile", options->save_profile, "write what this medium is as a profile for others");
    command->add_flag("--json", options->json, "the same as JSON");
    add_agent_option(*command, options->agent);
    command->callback(
        [options, &console, &action] { action = [options, &console] { return inspect(console, *options); }; });
}

} // namespace mediarig::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/command.hpp"

#include <fmt/format.h>

#include <chrono>
#include <ostream>

#include "host/base/json/reader.hpp"
#include "host/base/shell_word.hpp"
#include "host/cli/text/text.hpp"

namespace mediarig::cli {
namespace {

/// Limit of an error message in bytes, about one screen. Names in a message may come from a file of any kind.
constexpr std::size_t longest_message = 1500;

/// An empty value usually comes from an unset variable of a script: refuse it.
const CLI::Validator& something() {
    static const CLI::Validator check(
        [](std::string& given) { return given.empty() ? std::string("needs a value") : std::string(); }, "");
    return check;
}

} // namespace

int report(const Console& console, const Error& error) {
    // Flush first: if both streams go to one file, the error then follows earlier output.
    console.out << std::flush;
    console.err << line_of("mediarig: " + strict_json::excerpt(error.detail, longest_message));
    return exit_status(error.code);
}

media::CalendarMonth this_month() {
    const std::chrono::year_month_day today{std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
    return {static_cast<std::uint16_t>(static_cast<int>(today.year())),
            static_cast<std::uint8_t>(static_cast<unsigned>(today.month()))};
}

void add_agent_option(CLI::App& command, app::AgentChoice& choice) {
    command.add_option("--agent", choice.how, "how the agent is reached; lab: in the running lab")
        ->envname("MEDIARIG_AGENT")
        ->check(CLI::IsMember({"auto", "local", "sudo", "pkexec", "lab"}))
        ->capture_default_str()
        ->configurable();
}

void add_contents_option(CLI::App& command, bool& unknown) {
    command.add_flag(
        "--contents-unknown", unknown,
        "allow a medium whose contents read errors hide, or with remains of encrypted data or of a volume group "
        "(USB, SD and images only)");
}

void add_use_option(CLI::App& command, bool& unknown) {
    command.add_flag("--use-unknown", unknown,
                     "allow a medium whose use by other programs cannot be determined (your own image on a container's "
                     "root or FUSE; a device seen from a container)");
}

void add_store_option(CLI::App& command, std::string& store) {
    store = app::default_store();
    command.add_option("--store", store, "file that keeps the results")
        ->type_name("FILE")
        ->capture_default_str()
        ->check(something())
        ->configurable();
}

std::string store_text(const std::filesystem::path& store) {
    return store == app::default_store() ? std::string() : " --store " + shell_word(store.string());
}

void add_quiet_option(CLI::App& command, bool& quiet) {
    command.add_flag("--quiet", quiet, "print the result only, no progress")->configurable();
}

void add_campaign_option(CLI::App& command, std::string& campaign, const std::string& by_default) {
    command
        .add_option(
            "campaign,--campaign", campaign,
            fmt::format(
                "number, name or id, or a device in the campaign, as 'mediarig campaigns' shows them; {} by default",
                by_default))
        ->type_name("CAMPAIGN")
        ->check(something());
}

CLI::Option* add_confirm_option(CLI::App& command, std::string& confirm) {
    return command
        .add_option("--confirm", confirm,
                    "the device's serial (its path if it has no serial): all data on it will be destroyed")
        ->check(something());
}

CLI::Validator as_size() {
    return CLI::Validator(
        [](std::string& given) {
            const auto size = strict_json::parse_size(given);
            if (!size) return size.error();
            given = std::to_string(size->count);
            return std::string();
        },
        "");
}

CLI::Validator as_rate() {
    return CLI::Validator(
        [units = CLI::AsSizeValue(true)](std::string& given) {
            const std::string asked = given;
            const bool negative = given.starts_with('-');
            return negative || !units(given).empty()
                       ? fmt::format(
                             "'{}' is not a rate; give bytes per second, or a whole number with a unit, as in 20MB",
                             asked)
                       : std::string();
        },
        "");
}

} // namespace mediarig::cli

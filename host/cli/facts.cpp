// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>
#include <utility>

#include "host/app/campaign_list.hpp"
#include "host/app/device_choice.hpp"
#include "host/app/files/nickname_file.hpp"
#include "host/base/json/json_text.hpp"
#include "host/media/claim/linux/linux_media.hpp"

namespace mediarig::cli {
namespace {

std::string as_file(const nlohmann::json& value) {
    return codec::json_text(value) + '\n';
}

std::string json_begins() {
    return std::string(app::beginning_of(as_file({{"", ""}})));
}

/// Canonical path, so that different spellings of one file compare equal.
std::filesystem::path place_of(const FactsDestination& to) {
    std::error_code unknown;
    if (!to.in_file()) return to.file;
    auto place = std::filesystem::weakly_canonical(to.file, unknown);
    return unknown ? std::filesystem::path(to.file) : place;
}

} // namespace

void add_facts_option(CLI::App& command, const std::string& name, FactsDestination& to, const std::string& what) {
    // The braces contain the value that the option has without "=FILE". A file requires "=", so that the next argument
    // is not taken as the file.
    command.add_flag(name + "{-}", to.file, what + " on standard output, or into FILE");
}

void add_force_option(CLI::App& command, bool& force) {
    command.add_flag("--force", force, "replace an existing file, if mediarig wrote it");
}

void add_json_option(CLI::App& command, Facts& facts) {
    add_facts_option(command, "--json", facts.json, "as JSON");
    add_force_option(command, facts.force);
}

Result<void> check_json_file(const Facts& facts) {
    return check_outputs(facts, {});
}

Result<void> check_outputs(const Facts& facts, const std::vector<SecondOutput>& others) {
    std::vector<SecondOutput> all{{"--json", facts.json, json_begins()}};
    all.insert(all.end(), others.begin(), others.end());
    for (auto output = all.begin(); output != all.end(); ++output) {
        if (!output->to.asked()) continue;
        const auto shared = std::find_if(all.begin(), output, [&](const SecondOutput& before) {
            return place_of(before.to) == place_of(output->to);
        });
        if (shared != output)
            return fail(Errc::bad_request,
                        fmt::format("{} and {} cannot share {}: give another file to one of them, as in {}=FILE",
                                    shared->option, output->option,
                                    output->to.on_stdout() ? "standard output" : output->to.file, output->option));
        if (!output->to.in_file()) continue;
        const auto existing = facts.force && output->edited ? app::Existing::edited : facts.existing();
        if (auto possible = app::check_output(output->to.file, app::beginning_of(output->begins), existing); !possible)
            return possible;
    }
    return {};
}

int put(const Console& console, const FactsDestination& to, std::string_view text, app::Existing existing,
        std::string_view begins) {
    if (to.on_stdout()) console.out << text;
    if (!to.in_file()) return 0;
    const auto written = app::write_text(to.file, begins.empty() ? app::beginning_of(text) : begins, existing,
                                         [&](const app::WritePart& write) { return write(text); });
    return written ? 0 : report(console, written.error());
}

int print_in_parts(const Console& console, const Facts& facts,
                   const std::function<Result<void>(const app::WritePart& write)>& produce) {
    Result<void> told;
    if (facts.json.on_stdout())
        told = produce([&](std::string_view part) -> Result<void> {
            console.out << part;
            return {};
        });
    else if (facts.json.asked())
        told = app::write_text(facts.json.file, json_begins(), facts.existing(), produce);
    return told ? 0 : report(console, told.error());
}

int tell(const Console& console, const Facts& facts, const nlohmann::json& found,
         const std::function<void()>& tell_people) {
    if (!facts.json.on_stdout()) tell_people();
    return facts.json.asked() ? put(console, facts.json, as_file(found), facts.existing()) : 0;
}

Result<std::function<std::optional<std::string>(const std::string& disk)>> disks_in_use() {
    auto listed = media::make_linux_discovery()->list();
    if (!listed) return fail(std::move(listed.error()));
    return [media = std::move(*listed)](const std::string& disk) -> std::optional<std::string> {
        using enum media::RefusalKind;
        for (const media::Medium& medium : media) {
            if (medium.node != "/dev/" + disk) continue;
            for (const media::Refusal& refusal : medium.refusals)
                for (const auto kind : {system_disk, mounted, swap, held, in_use, unknown_state})
                    if (refusal.kind == kind) return refusal.detail;
            return std::nullopt;
        }
        return "it is not among the block devices that were found";
    };
}

void add_device_option(CLI::App& command, std::string& device) {
    command.add_option("--device", device,
                       "one device only: its nickname, label, serial or the end of it, name in the plan or key");
}

void note_newer(const Console& console, const std::string& store, const std::string& campaign) {
    if ((campaign.empty() || campaign == "last") && app::is_campaign_starting(store))
        console.err << "mediarig: a newer campaign is starting; this is the one before it\n";
}

Result<std::vector<std::size_t>> chosen_devices(const store::CampaignView& campaign, const std::string& word) {
    std::vector<std::size_t> chosen(campaign.devices.size());
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    if (word.empty()) return chosen;
    const Nicknames nicknames = app::nicknames_to_show();
    std::vector<app::DeviceWords> words;
    for (const store::DeviceView& device : campaign.devices)
        words.push_back(app::words_of(device.device, nicknames.of(media::confirmation_of(device.device.identity))));
    const auto device = app::choose_device(words, word, campaign.campaign.id);
    if (!device) return fail(device.error());
    return std::vector{*device};
}

Result<void> keep_chosen(store::CampaignView& campaign, const std::string& word) {
    const auto chosen = chosen_devices(campaign, word);
    if (!chosen) return fail(chosen.error());
    std::vector<store::DeviceView> kept;
    for (const std::size_t device : *chosen) kept.push_back(std::move(campaign.devices[device]));
    campaign.devices = std::move(kept);
    return {};
}

} // namespace mediarig::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "host/app/campaign_list.hpp"
#include "host/app/campaigns.hpp"
#include "host/app/device_choice.hpp"
#include "host/app/files/paths.hpp"
#include "host/base/json/json_text.hpp"
#include "host/base/shell_word.hpp"
#include "host/base/text.hpp"
#include "host/base/time_text.hpp"
#include "host/cli/facts.hpp"
#include "host/cli/text/text.hpp"
#include "host/plan/parse_plan.hpp"
#include "host/report/text/display_text.hpp"
#include "host/store/record_json.hpp"

namespace mediarig::cli {
namespace {

using store::ListedCampaign;
using store::ListedDevice;

struct CampaignsOptions {
    std::string store, state, device, file;
    std::vector<std::string> named;
    Facts facts;
    bool force{};
};

/// True if `word` is a name of the device or a part of its model.
bool is_meant(const ListedDevice& device, const std::string& word) {
    return app::is_called(app::words_of(device), word) || device.model.find(word) != std::string::npos;
}

bool is_asked_for(const ListedCampaign& campaign, const CampaignsOptions& options) {
    if (!options.state.empty() && store::name_of(campaign.state) != options.state) return false;
    return options.device.empty() ||
           std::any_of(campaign.devices.begin(), campaign.devices.end(),
                       [&](const ListedDevice& each) { return is_meant(each, options.device); });
}

/// E.g. "PASS" or "3 PASS, 1 FAKE". Devices without a verdict are not counted.
std::string verdicts_of(const ListedCampaign& campaign) {
    std::vector<std::pair<measure::Grade, unsigned>> counts;
    for (const ListedDevice& device : campaign.devices) {
        if (!device.grade) continue;
        const auto known =
            std::find_if(counts.begin(), counts.end(), [&](const auto& count) { return count.first == *device.grade; });
        if (known == counts.end())
            counts.emplace_back(*device.grade, 1);
        else
            ++known->second;
    }
    std::string text;
    for (const auto& [grade, count] : counts)
        text += (text.empty() ? "" : ", ") + (campaign.devices.size() == 1
                                                  ? std::string(measure::name_of(grade))
                                                  : fmt::format("{} {}", count, measure::name_of(grade)));
    return text.empty() ? "-" : text;
}

/// E.g. "card-01 and 19 more"; within `widest` columns the name is shortened but the count is not: "card… +19".
std::string devices_of(const ListedCampaign& campaign, std::size_t widest) {
    if (campaign.devices.empty()) return "-";
    const std::string first = printable(campaign.devices.front().name);
    const std::size_t others = campaign.devices.size() - 1;
    if (others == 0) return cut_to(first, widest);
    if (std::string whole = fmt::format("{} and {} more", first, others); display_width(whole) <= widest) return whole;
    const std::string more = fmt::format(" +{}", others);
    return cut_to(first, widest - std::min(widest, more.size())) + more;
}

nlohmann::json json_of(const ListedCampaign& campaign) {
    nlohmann::json devices = nlohmann::json::array();
    for (const ListedDevice& device : campaign.devices) {
        devices.push_back({{"key", device.key},
                           {"name", device.name},
                           {"model", device.model},
                           {"serial", device.serial},
                           {"nickname", device.nickname}});
        devices.back()["verdict"] = device.grade ? nlohmann::json(measure::name_of(*device.grade)) : nlohmann::json();
    }
    nlohmann::json object{{"number", campaign.number},
                          {"id", campaign.id},
                          {"name", campaign.name},
                          {"state", store::name_of(campaign.state)},
                          {"started", utc_time_text(campaign.started)},
                          {"devices", std::move(devices)}};
    object["ended"] = campaign.ended ? nlohmann::json(utc_time_text(*campaign.ended)) : nlohmann::json();
    return object;
}

nlohmann::json json_of(const std::vector<ListedCampaign>& campaigns) {
    nlohmann::json list = nlohmann::json::array();
    for (const ListedCampaign& campaign : campaigns) list.push_back(json_of(campaign));
    return {{"mediarig_campaigns", 1}, {"campaigns", std::move(list)}};
}

/// A default store without a campaign does not exist yet: returns an empty list, not an error.
Result<std::vector<ListedCampaign>> campaigns_of(const std::string& store) {
    std::error_code unknown;
    const bool none_yet = app::is_default_store(store) && !std::filesystem::exists(store, unknown) && !unknown;
    if (none_yet) return std::vector<ListedCampaign>();
    return app::list_campaigns(store);
}

/// Names are shortened to `widest` columns.
TextTable table_of(const std::vector<ListedCampaign>& campaigns, std::size_t widest) {
    TextTable table({"NO.", "STARTED", "NAME", "STATE", "DEVICES", "VERDICTS"});
    for (const ListedCampaign& campaign : campaigns) {
        // A precision of minutes is sufficient for a list.
        const std::string started = local_time_text(campaign.started, TimePrecision::minute);
        table.add({std::to_string(campaign.number), started, cut_to(printable(campaign.name), widest),
                   std::string(store::name_of(campaign.state)), devices_of(campaign, widest), verdicts_of(campaign)});
    }
    return table;
}

int list(const Console& console, const CampaignsOptions& options) {
    if (auto possible = check_json_file(options.facts); !possible) return report(console, possible.error());
    auto campaigns = campaigns_of(options.store);
    if (!campaigns) return report(console, campaigns.error());
    std::erase_if(*campaigns, [&](const ListedCampaign& campaign) { return !is_asked_for(campaign, options); });
    return tell(console, options.facts, json_of(*campaigns), [&] {
        if (campaigns->empty()) {
            console.out << "no campaigns found\n";
            return;
        }
        // Shorten the names only as far as the line width requires.
        constexpr std::size_t widest = 20, narrowest = 10;
        std::string text = table_of(*campaigns, widest).text();
        for (std::size_t names = widest; names-- > narrowest && widest_line(text) > console.columns;)
            text = table_of(*campaigns, names).text();
        if (console.out_terminal && widest_line(text) > console.columns)
            text = table_of(*campaigns, narrowest).text(console.columns);
        console.out << text;
    });
}

/// Asks for confirmation: the store may hold the only copy of a measurement. Without a terminal, --force is required.
Result<void> confirm_deletion(const Console& console, const std::vector<ListedCampaign>& chosen) {
    std::string all;
    for (const ListedCampaign& campaign : chosen)
        all += fmt::format("{}{} ({})", all.empty() ? "" : ", ", campaign.number, campaign.name);
    const std::string what = fmt::format("campaign{} {}", chosen.size() == 1 ? "" : "s", printable(all));
    if (::isatty(STDIN_FILENO) == 0)
        return fail(
            Errc::bad_request,
            fmt::format("{} would be deleted permanently: keep a copy with 'mediarig campaigns export {} -o FILE', "
                        "then delete with --force",
                        what, chosen.front().number));
    console.err << "Delete " << what << " permanently? Type yes: " << std::flush;
    if (typed_line(std::cin) == "yes") return {};
    return fail(Errc::bad_request, "nothing was deleted");
}

/// Fails if `word` is the name of several campaigns, or of a device in several campaigns: then nothing is deleted.
Result<void> check_alone(const std::vector<ListedCampaign>& campaigns, const ListedCampaign& found,
                         const std::string& word) {
    const bool by_name = word == found.name;
    if (word == "last" || word == found.id || word == std::to_string(found.number) || found.id.starts_with(word))
        return {};
    std::string numbers;
    std::size_t count = 0;
    for (const ListedCampaign& campaign : campaigns)
        if (by_name ? campaign.name == word : std::ranges::any_of(campaign.devices, [&](const auto& each) {
                return app::is_called(app::words_of(each), word);
            })) {
            numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", campaign.number);
            ++count;
        }
    if (count <= 1) return {};
    return fail(Errc::bad_request,
                fmt::format("'{}' matches {} campaigns: choose one by number: {}", word, count, numbers));
}

int delete_named(const Console& console, const CampaignsOptions& options) {
    // Resolve all words before the first deletion: "last" would otherwise change its meaning.
    const auto campaigns = app::list_campaigns(options.store);
    if (!campaigns) return report(console, campaigns.error());
    std::vector<ListedCampaign> chosen;
    for (const std::string& word : options.named) {
        const auto found = app::choose_campaign(*campaigns, word);
        if (!found) return report(console, found.error());
        if (auto alone = check_alone(*campaigns, *found, word); !alone) return report(console, alone.error());
        if (std::ranges::find(chosen, found->id, &ListedCampaign::id) == chosen.end()) chosen.push_back(*found);
    }
    for (const ListedCampaign& campaign : chosen)
        if (campaign.state == store::CampaignState::running)
            return report(console, {Errc::refused, fmt::format("campaign {} is running: wait for its end, or stop it "
                                                               "with 'mediarig watch {} --stop', then delete it",
                                                               campaign.number, campaign.number)});
    if (!options.force)
        if (auto may = confirm_deletion(console, chosen); !may) return report(console, may.error());
    for (const ListedCampaign& campaign : chosen) {
        const auto gone = app::delete_campaign(options.store, campaign.id);
        if (!gone) return report(console, gone.error());
        console.out << line_of(
            fmt::format("deleted campaign {} ({}); its device logs are kept", gone->number, gone->name));
    }
    return 0;
}

int export_named(const Console& console, const CampaignsOptions& options) {
    const auto existing = options.force ? app::Existing::replaced : app::Existing::kept;
    const auto written = app::export_campaign(options.store, options.named.front(), options.file, existing);
    if (!written) return report(console, written.error());
    console.out << line_of(
        fmt::format("exported campaign {} ({}) to {}; read it with --store, or import it with: "
                    "mediarig campaigns import {}",
                    written->number, written->name, options.file, shell_word(options.file)));
    return 0;
}

/// Returns the plan as it was run, with all slots and start values, so that it can be run again.
Result<std::string> plan_text(const store::CampaignRecord& campaign) {
    if (const auto plan = plan::parse_plan(campaign.plan); !plan)
        return fail(Errc::bad_request,
                    fmt::format("this version cannot read the plan of campaign {} ({}): run it with mediarig {}",
                                campaign.id, plan.error().lines.front(), campaign.origin.mediarig_version));
    return codec::json_text(codec::read_json(campaign.plan)) + '\n';
}

int print_plan(const Console& console, const CampaignsOptions& options) {
    const auto campaign = app::open_campaign(options.store, options.named.empty() ? "last" : options.named.front());
    if (!campaign) return report(console, campaign.error());
    const auto text = plan_text(campaign->outline.campaign);
    if (!text) return report(console, text.error());
    const FactsDestination to{options.file.empty() ? "-" : options.file};
    const int failed = put(console, to, *text, options.force ? app::Existing::replaced : app::Existing::kept);
    if (failed == 0 && to.in_file())
        console.err << line_of(fmt::format("the plan is in {}; check which media it erases, then: mediarig run {}",
                                           to.file, shell_word(to.file)));
    return failed;
}

int import_file(const Console& console, const CampaignsOptions& options) {
    const auto imported = app::import_campaigns(options.store, options.file);
    if (!imported) return report(console, imported.error());
    for (const ListedCampaign& campaign : imported->taken)
        console.out << line_of(fmt::format("imported {} as campaign {}", campaign.name, campaign.number));
    if (imported->known > 0)
        console.out << fmt::format("{} of the file's campaigns {} in this store already\n", imported->known,
                                   imported->known == 1 ? "was" : "were");
    return 0;
}

} // namespace

void add_campaigns_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<CampaignsOptions>();
    CLI::App* command = app.add_subcommand(
        "campaigns", "list, delete, export and import the campaigns of the store, and print their plans");
    const auto on = [&](CLI::App& chosen, auto run) {
        chosen.callback([run, options, &console, &action] {
            action = [run, options, &console] { return run(console, *options); };
        });
    };
    const auto add = [&](const std::string& name, const std::string& what, auto run) {
        CLI::App* part = command->add_subcommand(name, what);
        add_store_option(*part, options->store);
        on(*part, run);
        return part;
    };
    command->add_option("--state", options->state, "only campaigns in this state")
        ->check(CLI::IsMember({"running", "finished", "interrupted", "failed"}));
    command->add_option("--device", options->device,
                        "only campaigns with this device: key, name, serial, nickname or part of its model");
    add_json_option(*command, options->facts);
    add_store_option(*command, options->store);
    // CLI11 calls the callback of a command after those of its subcommands.
    command->callback([command, options, &console, &action] {
        if (command->get_subcommands().empty()) {
            action = [options, &console] { return list(console, *options); };
            return;
        }
        for (const char* option : {"--state", "--device", "--json", "--force"})
            if (command->count(option) > 0)
                action = [option, command, &console] {
                    return report(
                        console,
                        {Errc::bad_request,
                         fmt::format(
                             "{} filters the list and does not apply to '{}': leave it out, and name the campaigns",
                             option, command->get_subcommands().front()->get_name())});
                };
    });

    const std::string which = "number, name or id, or a device in the campaign; \"last\" for the newest";
    CLI::App* part = add("delete", "delete campaigns from the store; device logs are kept", delete_named);
    part->add_option("campaign", options->named, which)->type_name("CAMPAIGN")->required();
    part->add_flag("--force", options->force, "delete without a question, for scripts");
    part = add("export", "copy a campaign into a separate store file", export_named);
    part->add_option("campaign", options->named, which)->type_name("CAMPAIGN")->expected(1)->required();
    part->add_option("-o,--output", options->file, "the file to write")->required();
    add_force_option(*part, options->force);
    part = add("plan", "print the plan of a campaign, to check it and run it again", print_plan);
    part->add_option("campaign", options->named, which + " (the default)")->type_name("CAMPAIGN")->expected(1);
    part->add_option("-o,--output", options->file, "the file to write (default: standard output)");
    add_force_option(*part, options->force);
    add("import", "import the campaigns of a file", import_file)
        ->add_option("file", options->file, "a store file, for example one written by export")
        ->required();
}

} // namespace mediarig::cli

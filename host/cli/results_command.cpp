// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "host/app/campaigns.hpp"
#include "host/cli/command.hpp"
#include "host/cli/facts.hpp"
#include "host/report/comparison_record.hpp"
#include "host/report/csv.hpp"
#include "host/report/results_json.hpp"
#include "host/report/terminal.hpp"

namespace mediarig::cli {
namespace {

struct ResultsOptions {
    std::string store, campaign, device;
    Facts facts;
    FactsTo csv, comparison_csv;
    bool published{};
};

/// Leaves only the devices whose key, name in the plan, serial or label is `wanted`.
Result<void> keep_device(store::CampaignView& view, const std::string& wanted) {
    std::erase_if(view.devices, [&](const store::DeviceView& each) {
        return each.device.key != wanted && each.device.name != wanted && each.device.identity.serial != wanted &&
               each.device.label != wanted;
    });
    if (view.devices.empty())
        return fail(Errc::bad_request, fmt::format("campaign {} has no device '{}'; leave out --device to see them all",
                                                   view.campaign.id, wanted));
    return {};
}

int results(const Console& console, const ResultsOptions& options) {
    // Every table begins with its head, which an empty one has too.
    if (auto possible =
            check_outputs(options.facts, {{"--csv", options.csv, report::render_csv({})},
                                          {"--comparison-csv", options.comparison_csv, report::render_comparison_csv({})}});
        !possible)
        return report(console, possible.error());
    auto view = app::load_campaign(options.store, options.campaign);
    if (!view) return report(console, view.error());
    if (!options.device.empty())
        if (auto kept = keep_device(*view, options.device); !kept) return report(console, kept.error());
    const auto existing = options.facts.existing();
    if (options.csv.asked())
        if (const int failed = put(console, options.csv, report::render_csv(*view), existing); failed != 0)
            return failed;
    if (options.comparison_csv.asked())
        if (const int failed = put(console, options.comparison_csv, report::render_comparison_csv(*view), existing);
            failed != 0)
            return failed;
    if (options.csv.on_stdout() || options.comparison_csv.on_stdout()) {
        return tell(console, options.facts, report::results_json(*view), [] {});
    }
    return tell(console, options.facts, report::results_json(*view), [&] {
        console.out << report::render_tables(*view,
                                             {.width = console.columns,
                                              .colour = console.colour ? report::Colour::ansi : report::Colour::plain,
                                              .published = options.published});
    });
}

} // namespace

void add_results_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<ResultsOptions>();
    CLI::App* command = app.add_subcommand("results", "print the tables of a campaign");
    add_campaign_option(*command, options->campaign);
    command->add_option("--device", options->device,
                        "one device only: its key, name in the plan, serial, label or nickname");
    add_json_option(*command, options->facts);
    add_facts_option(*command, "--csv", options->csv, "a row for each cell of each pass, as CSV");
    add_facts_option(*command, "--comparison-csv", options->comparison_csv,
                     "a row for each block of each comparison, as CSV");
    command->add_flag("--published", options->published,
                      "behind the tables, what others published of the same programs");
    add_store_option(*command, options->store);
    command->callback(
        [options, &console, &action] { action = [options, &console] { return results(console, *options); }; });
}

} // namespace mediarig::cli

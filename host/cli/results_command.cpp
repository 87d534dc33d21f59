// SPDX-License-Identifier: GPL-3.0-or-later
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "host/app/campaigns.hpp"
#include "host/cli/command.hpp"
#include "host/cli/device_choice.hpp"
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

/// With what of it is asked for.
Result<store::CampaignView> load_chosen(const ResultsOptions& options) {
    auto campaign = app::open_campaign(options.store, options.campaign);
    if (!campaign) return fail(campaign.error());
    if (auto kept = keep_chosen(campaign->outline, options.device); !kept) return fail(kept.error());
    for (store::DeviceView& device : campaign->outline.devices)
        if (auto loaded = campaign->load(device); !loaded) return fail(loaded.error());
    return std::move(campaign->outline);
}

int results(const Console& console, const ResultsOptions& options) {
    // Every table begins with its head, which an empty one has too.
    if (auto possible = check_outputs(
            options.facts, {{"--csv", options.csv, report::render_csv({})},
                            {"--comparison-csv", options.comparison_csv, report::render_comparison_csv({})}});
        !possible)
        return report(console, possible.error());
    const auto view = load_chosen(options);
    if (!view) return report(console, view.error());
    const auto existing = options.facts.existing();
    if (options.csv.asked())
        if (const int failed = put(console, options.csv, report::render_csv(*view), existing); failed != 0)
            return failed;
    if (options.comparison_csv.asked())
        if (const int failed = put(console, options.comparison_csv, report::render_comparison_csv(*view), existing);
            failed != 0)
            return failed;
    const nlohmann::json facts = options.facts.json.asked() ? report::results_json(*view) : nlohmann::json();
    if (options.csv.on_stdout() || options.comparison_csv.on_stdout()) {
        return tell(console, options.facts, facts, [] {});
    }
    return tell(console, options.facts, facts, [&] {
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
    add_device_option(*command, options->device);
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

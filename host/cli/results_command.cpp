// SPDX-License-Identifier: GPL-3.0-or-later
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "host/app/campaigns.hpp"
#include "host/cli/command.hpp"
#include "host/cli/device_choice.hpp"
#include "host/cli/facts.hpp"
#include "host/report/csv.hpp"
#include "host/report/prices.hpp"
#include "host/report/results_json.hpp"
#include "host/report/terminal.hpp"

namespace mediarig::cli {
namespace {

struct ResultsOptions {
    std::string store, campaign, device;
    Facts facts;
    FactsTo csv, price_csv;
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

/// Standard output takes one of them.
Result<void> check_places(const ResultsOptions& options) {
    int on_stdout = 0;
    for (const FactsTo* to : {&options.facts.json, &options.csv, &options.price_csv}) on_stdout += to->on_stdout();
    if (on_stdout > 1)
        return fail(Errc::bad_request,
                    "--json, --csv and --price-csv cannot share standard output: give files to all but one, as in "
                    "--csv=FILE");
    return check_json_file(options.facts);
}

int results(const Console& console, const ResultsOptions& options) {
    if (auto possible = check_places(options); !possible) return report(console, possible.error());
    const auto view = load_chosen(options);
    if (!view) return report(console, view.error());
    const auto existing = options.facts.existing();
    if (options.csv.asked())
        if (const int failed = put(console, options.csv, report::render_csv(*view), existing); failed != 0)
            return failed;
    if (options.price_csv.asked())
        if (const int failed = put(console, options.price_csv, report::render_price_csv(*view), existing); failed != 0)
            return failed;
    const nlohmann::json facts = options.facts.json.asked() ? report::results_json(*view) : nlohmann::json();
    if (options.csv.on_stdout() || options.price_csv.on_stdout()) {
        return tell(console, options.facts, facts, [] {});
    }
    return tell(console, options.facts, facts, [&] {
        console.out << report::render_tables(
            *view, {.width = console.columns, .colour = console.colour ? report::Colour::ansi : report::Colour::plain});
    });
}

} // namespace

void add_results_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<ResultsOptions>();
    CLI::App* command = app.add_subcommand("results", "the tables of a campaign");
    add_campaign_option(*command, options->campaign);
    add_device_option(*command, options->device);
    add_json_option(*command, options->facts);
    add_facts_option(*command, "--csv", options->csv, "a row for each cell of each pass, as CSV");
    add_facts_option(*command, "--price-csv", options->price_csv, "a row for each price, as CSV");
    add_store_option(*command, options->store);
    command->callback(
        [options, &console, &action] { action = [options, &console] { return results(console, *options); }; });
}

} // namespace mediarig::cli

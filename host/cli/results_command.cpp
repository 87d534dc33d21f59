// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "host/app/campaigns.hpp"
#include "host/cli/command.hpp"
#include "host/report/csv.hpp"
#include "host/report/prices.hpp"
#include "host/report/results_json.hpp"
#include "host/report/terminal.hpp"

namespace mediarig::cli {
namespace {

struct ResultsOptions {
    std::string store, campaign, device, format{"table"};
};

/// Leaves only the devices whose key or name in the plan is `wanted`.
Result<void> keep_device(store::CampaignView& view, const std::string& wanted) {
    std::erase_if(view.devices, [&](const store::DeviceView& each) {
        return each.device.key != wanted && each.device.name != wanted;
    });
    if (view.devices.empty())
        return fail(Errc::bad_request, fmt::format("campaign {} has no device '{}'; leave out --device to see them all",
                                                   view.campaign.id, wanted));
    return {};
}

int results(const Console& console, const ResultsOptions& options) {
    auto view = app::load_campaign(options.store, options.campaign);
    if (!view) return report(console, view.error());
    if (!options.device.empty())
        if (auto kept = keep_device(*view, options.device); !kept) return report(console, kept.error());
    if (options.format == "json")
        print_json(console, report::results_json(*view));
    else if (options.format == "csv")
        console.out << report::render_csv(*view);
    else if (options.format == "price-csv")
        console.out << report::render_price_csv(*view);
    else
        console.out << report::render_tables(
            *view, {.width = console.columns, .colour = console.colour ? report::Colour::ansi : report::Colour::plain});
    return 0;
}

} // namespace

void add_results_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<ResultsOptions>();
    CLI::App* command = app.add_subcommand("results", "the tables of a campaign");
    command->add_option("--campaign", options->campaign, "id, or its beginning; the newest one by default");
    command->add_option("--device", options->device, "one device only: its key, or its name in the plan");
    command->add_option("--format", options->format, "table, json, csv (a row a cell) or price-csv (a row a price)")
        ->check(CLI::IsMember({"table", "json", "csv", "price-csv"}))
        ->capture_default_str();
    add_store_option(*command, options->store);
    command->callback(
        [options, &console, &action] { action = [options, &console] { return results(console, *options); }; });
}

} // namespace mediarig::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <memory>
#include <ostream>

#include "host/app/campaigns.hpp"
#include "host/cli/command.hpp"
#include "host/cli/facts.hpp"
#include "host/report/cards/lot.hpp"
#include "host/report/cards/summary.hpp"
#include "host/report/output/csv.hpp"
#include "host/report/output/results_json.hpp"
#include "host/report/output/terminal.hpp"
#include "host/report/tables/comparison_record.hpp"
#include "host/report/text/recorder_text.hpp"

namespace mediarig::cli {
namespace {

struct ResultsOptions {
    std::string store, campaign, device, table;
    Facts facts;
    FactsDestination csv, comparison_csv;
    bool published{}, recorder{};
    std::optional<std::uint64_t> recorder_rate; ///< bytes per second
};

/// Opens the chosen campaign and keeps the chosen devices; does not load them.
Result<app::OpenCampaign> open_chosen(const ResultsOptions& options) {
    auto campaign = app::open_campaign(options.store, options.campaign);
    if (!campaign) return campaign;
    if (auto kept = keep_chosen(campaign->outline, options.device); !kept) return fail(kept.error());
    return campaign;
}

/// Opens the same devices without nicknames, as in the record.
Result<app::OpenCampaign> without_nicknames(const ResultsOptions& options, const store::CampaignView& chosen) {
    auto campaign = app::open_campaign(options.store, chosen.campaign.id, app::CampaignForm::record);
    if (!campaign) return campaign;
    std::erase_if(campaign->outline.devices, [&](const store::DeviceView& device) {
        return std::ranges::none_of(
            chosen.devices, [&](const store::DeviceView& each) { return each.device.key == device.device.key; });
    });
    return campaign;
}

int put_json(const Console& console, const ResultsOptions& options, const store::CampaignView& chosen) {
    auto campaign = without_nicknames(options, chosen);
    if (!campaign) return report(console, campaign.error());
    return print_in_parts(console, options.facts, [&](const app::WritePart& write) {
        return report::write_results_json(std::move(campaign->outline), campaign->load, write);
    });
}

/// Loads all devices, for output that needs them at once.
Result<store::CampaignView> load_whole(const app::OpenCampaign& campaign) {
    store::CampaignView view = campaign.outline;
    for (store::DeviceView& device : view.devices)
        if (auto loaded = campaign.load(device); !loaded) return fail(loaded.error());
    return view;
}

/// The name of the list that is not part of the record.
constexpr std::string_view summary_list = "summary";

/// Returns the beginning of the header line, which identifies the kind of file.
std::string csv_begins(const ResultsOptions& options) {
    if (options.table.empty()) return report::render_csv({});
    return options.table == summary_list ? report::render_summary_csv({}) : std::string(report::list_begins);
}

int put_csv(const Console& console, const ResultsOptions& options, const app::OpenCampaign& campaign) {
    store::CampaignView outline = campaign.outline;
    const auto csv = report::render_csv(std::move(outline), campaign.load);
    return csv ? put(console, options.csv, *csv, options.facts.existing()) : report(console, csv.error());
}

int put_list(const Console& console, const ResultsOptions& options, const store::CampaignView& chosen) {
    auto campaign = without_nicknames(options, chosen);
    if (!campaign) return report(console, campaign.error());
    if (options.table == summary_list) {
        const auto csv = report::render_summary_csv(std::move(campaign->outline), campaign->load);
        return csv ? put(console, options.csv, *csv, options.facts.existing(), csv_begins(options))
                   : report(console, csv.error());
    }
    const auto csv = report::render_list(std::move(campaign->outline), campaign->load, options.table);
    return csv ? put(console, options.csv, *csv, options.facts.existing(), csv_begins(options))
               : report(console, csv.error());
}

int put_tables(const Console& console, const ResultsOptions& options, app::OpenCampaign&& campaign) {
    const Colour colour = console.colour ? Colour::ansi : Colour::plain;
    const std::size_t media = options.device.empty() ? report::media_of_plan(campaign.outline.campaign) : 0;
    const auto tables = report::render_tables(std::move(campaign.outline), campaign.load,
                                              {.width = console.columns,
                                               .colour = colour,
                                               .published = options.published,
                                               .media = media,
                                               .ends_on_screen = console.out_terminal});
    if (!tables) return report(console, tables.error());
    console.out << *tables;
    return 0;
}

int results(const Console& console, ResultsOptions options) {
    if (!options.table.empty() && !options.csv.asked()) options.csv.file = "-";
    if (auto possible = check_outputs(
            options.facts, {{"--csv", options.csv, csv_begins(options)},
                            {"--comparison-csv", options.comparison_csv, report::render_comparison_csv({})}});
        !possible)
        return report(console, possible.error());
    auto campaign = open_chosen(options);
    if (!campaign) return report(console, campaign.error());
    note_newer(console, options.store, options.campaign);
    if (options.csv.asked())
        if (const int failed = options.table.empty() ? put_csv(console, options, *campaign)
                                                     : put_list(console, options, campaign->outline);
            failed != 0)
            return failed;
    if (options.comparison_csv.asked()) {
        const auto view = load_whole(*campaign);
        if (!view) return report(console, view.error());
        if (const int failed =
                put(console, options.comparison_csv, report::render_comparison_csv(*view), options.facts.existing());
            failed != 0)
            return failed;
    }
    if (options.facts.json.asked())
        if (const int failed = put_json(console, options, campaign->outline); failed != 0) return failed;
    if (options.recorder) {
        const auto view = load_whole(*campaign);
        if (!view) return report(console, view.error());
        std::optional<Rate> wanted;
        if (options.recorder_rate) wanted = Rate{static_cast<double>(*options.recorder_rate)};
        console.out << report::recorder_text(*view, console.columns, wanted);
        return 0;
    }
    const bool told = options.csv.on_stdout() || options.comparison_csv.on_stdout() || options.facts.json.on_stdout();
    return told ? 0 : put_tables(console, options, std::move(*campaign));
}

} // namespace

void add_results_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<ResultsOptions>();
    CLI::App* command = app.add_subcommand("results", "print the answers and tables of a campaign");
    add_campaign_option(*command, options->campaign);
    add_device_option(*command, options->device);
    add_json_option(*command, options->facts);
    add_facts_option(*command, "--csv", options->csv, "a row for each cell of each pass, as CSV");
    command->add_option("--table", options->table,
                        "another list as CSV: summary (a row for each medium and format), devices, findings, "
                        "end.verify.damaged, series, raw_log_ns, ...; an unknown name prints all");
    add_facts_option(*command, "--comparison-csv", options->comparison_csv,
                     "a row for each block of each comparison, as CSV");
    command->add_flag("--published", options->published, "after the tables, published results of the same programs");
    command
        ->add_flag("--recorder", options->recorder,
                   "instead of the tables: the highest rate of a recorder for each size of its buffer, from the write "
                   "series of each pass")
        ->excludes("--published");
    command
        ->add_option_function<std::uint64_t>(
            "--recorder-rate", [options](const std::uint64_t& bytes) { options->recorder_rate = bytes; },
            "with --recorder: also the buffer that a recorder of this rate in bytes per second needs, such as 60MB")
        ->transform(as_size())
        ->check(CLI::PositiveNumber)
        ->needs("--recorder");
    add_store_option(*command, options->store);
    command->callback(
        [options, &console, &action] { action = [options, &console] { return results(console, *options); }; });
}

} // namespace mediarig::cli

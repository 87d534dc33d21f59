// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <ostream>

#include "host/app/campaigns.hpp"
#include "host/app/text_file.hpp"
#include "host/cli/command.hpp"
#include "host/cli/facts.hpp"
#include "host/cli/text.hpp"
#include "host/report/html/html.hpp"

namespace mediarig::cli {
namespace {

struct ReportOptions {
    std::string store, campaign, output;
    bool force{};
};

int write_report(const Console& console, const ReportOptions& options) {
    const auto view = app::load_campaign(options.store, options.campaign);
    if (!view) return report(console, view.error());
    const std::string file =
        options.output.empty() ? fmt::format("mediarig-{}.html", view->campaign.id) : options.output;
    const auto existing = options.force ? app::Existing::replaced : app::Existing::kept;
    if (auto written = app::write_text(file, report::render_html(*view), existing); !written)
        return report(console, written.error());
    console.out << line_of("report: " + std::filesystem::absolute(file).string());
    return 0;
}

} // namespace

void add_report_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<ReportOptions>();
    CLI::App* command = app.add_subcommand("report", "a campaign as one HTML file that needs nothing else");
    add_campaign_option(*command, options->campaign);
    command->add_option("-o,--output", options->output, "file to write; mediarig-CAMPAIGN.html by default");
    add_force_option(*command, options->force);
    add_store_option(*command, options->store);
    command->callback(
        [options, &console, &action] { action = [options, &console] { return write_report(console, *options); }; });
}

} // namespace mediarig::cli

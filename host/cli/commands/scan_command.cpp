// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "host/app/files/nickname_file.hpp"
#include "host/base/text.hpp"
#include "host/campaign/run/step_actions.hpp"
#include "host/cli/command.hpp"
#include "host/cli/facts.hpp"
#include "host/cli/text/text.hpp"
#include "host/media/conformance/layout.hpp"
#include "host/report/text/scan_text.hpp"
#include "host/workload/json.hpp"

namespace mediarig::cli {
namespace {

struct ScanOptions {
    std::string target;
    app::AgentChoice agent;
    std::uint32_t seconds{}; ///< 0: reads all
    Facts facts;
    FactsDestination csv, badblocks;
    bool quiet{};
};

/// Replaces the previous line of the terminal.
void show_progress(const Console& console, const agent::RunProgress& progress) {
    const std::string of = progress.total > 0_B ? " of " + size_text(progress.total) : "";
    const std::string failures = progress.failures > 0 ? fmt::format(", {} reads failed", progress.failures) : "";
    console.err << fmt::format("\r\033[Kread {}{}{}", size_text(progress.done), of, failures) << std::flush;
}

struct ScannedMedium {
    workload::ScanReport scan;
    std::vector<media::Region> layout;
};

Result<ScannedMedium> scanned(const Console& console, const ScanOptions& options) {
    std::optional<ScannedMedium> result;
    campaign::StopSignal stop;
    app::AgentChoice choice = options.agent;
    choice.devices = {options.target};
    const bool shows = console.terminal && !options.quiet;
    const auto done = app::with_agent(
        choice, stop,
        [&](agent::AgentClient& agent, const agent::HelloReport&) -> boost::asio::awaitable<Result<void>> {
            const auto executor = co_await boost::asio::this_coro::executor;
            stop.on_request([&] { campaign::cancel_soon(executor, agent); });
            agent::RunHandlers handlers;
            if (shows)
                handlers.on_progress = [&](const agent::RunProgress& progress) { show_progress(console, progress); };
            auto scan = co_await agent.scan(options.target, std::chrono::seconds(options.seconds), std::move(handlers));
            stop.on_request({});
            if (shows) console.err << "\r\033[K" << std::flush;
            if (!scan) co_return fail(scan.error());
            // A medium whose file system cannot be read has no layout.
            const auto content = co_await agent.inspect(options.target);
            result =
                ScannedMedium{std::move(*scan), content ? media::layout_of(*content) : std::vector<media::Region>{}};
            co_return Result<void>{};
        });
    if (!done) return fail(done.error());
    return std::move(*result);
}

int scan(const Console& console, ScanOptions options) {
    if (auto possible =
            check_outputs(options.facts, {{.option = "--csv", .to = options.csv, .begins = report::scan_csv_begins},
                                          {.option = "--badblocks", .to = options.badblocks, .begins = ""}});
        !possible)
        return report(console, possible.error());
    const auto target = app::target_called(options.agent, options.target);
    if (!target) return report(console, target.error());
    options.target = *target;
    const auto found = scanned(console, options);
    if (!found) return report(console, found.error());
    const bool to_people = !options.csv.on_stdout() && !options.badblocks.on_stdout();
    int status = tell(console, options.facts, {{"mediarig_scan", 1}, {"scan", workload::to_json(found->scan)}}, [&] {
        if (to_people) console.out << report::scan_text(found->scan, found->layout, console.columns);
    });
    status = std::max(
        status, put(console, options.csv, report::scan_csv(found->scan, found->layout), options.facts.existing()));
    status = std::max(status,
                      put(console, options.badblocks, report::badblocks_list(found->scan), options.facts.existing()));
    if (status != 0) return status;
    const bool faulty = std::ranges::any_of(found->scan.places, [](const workload::WeakPlace& place) {
        return place.state == workload::PlaceState::unreadable;
    });
    return faulty ? 1 : 0;
}

} // namespace

void add_scan_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<ScanOptions>();
    CLI::App* command = app.add_subcommand(
        "scan", "read a medium and report its rate by position, unreadable and weak places; writes nothing to it");
    command->add_option("target", options->target, "block device or image file")->required();
    command->add_option("--seconds", options->seconds, "read samples for this time (default: read all of the medium)")
        ->type_name("SECONDS")
        ->check(CLI::Range(1u, 86'400u));
    add_json_option(*command, options->facts);
    add_facts_option(*command, "--csv", options->csv, "a row for each region and each weak place, as CSV");
    add_facts_option(*command, "--badblocks", options->badblocks,
                     "the unreadable blocks of 1,024 bytes, one number per line, as badblocks prints them");
    add_quiet_option(*command, options->quiet);
    add_agent_option(*command, options->agent);
    command->callback(
        [options, &console, &action] { action = [options, &console] { return scan(console, *options); }; });
}

} // namespace mediarig::cli

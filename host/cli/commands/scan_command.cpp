// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <utility>

#include "host/app/files/nickname_file.hpp"
#include "host/app/files/text_file.hpp"
#include "host/base/json/json_text.hpp"
#include "host/cli/command.hpp"
#include "host/cli/commands/scanned_medium.hpp"
#include "host/cli/facts.hpp"
#include "host/cli/text/text.hpp"
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
    std::string compare; ///< JSON file of a scan of the same medium in another reader; empty: none
    bool quiet{};
};

Result<workload::ScanReport> read_scan(const std::string& file) {
    const auto text = app::read_text(file);
    if (!text) return fail(text.error());
    const nlohmann::json json = codec::read_json(*text);
    if (!json.is_object() || json.value("mediarig_scan", 0) != 1 || !json.contains("scan"))
        return fail(Errc::bad_request,
                    file + " is not a scan of mediarig: name a file that scan --json=FILE has written");
    auto scan = workload::scan_report_from_json(json.at("scan"));
    if (!scan) return fail(Errc::bad_request, file + ": " + scan.error().detail);
    return scan;
}

int scan(const Console& console, ScanOptions options) {
    std::optional<workload::ScanReport> other;
    if (!options.compare.empty()) {
        auto read = read_scan(options.compare);
        if (!read) return report(console, read.error());
        other = std::move(*read);
    }
    if (auto possible =
            check_outputs(options.facts, {{.option = "--csv", .to = options.csv, .begins = report::scan_csv_begins},
                                          {.option = "--badblocks", .to = options.badblocks, .begins = ""}});
        !possible)
        return report(console, possible.error());
    const auto target = app::target_called(options.agent, options.target);
    if (!target) return report(console, target.error());
    options.target = *target;
    const auto found =
        scanned(console, options.agent, {.target = options.target, .time_limit = std::chrono::seconds(options.seconds)},
                options.quiet);
    if (!found) return report(console, found.error());
    std::vector<workload::ComparedPlace> compared;
    if (other) {
        auto places = workload::compare_scans(found->scan, *other);
        if (!places) return report(console, places.error());
        compared = std::move(*places);
    }
    nlohmann::json facts{{"mediarig_scan", 1}, {"scan", workload::to_json(found->scan)}};
    if (other) facts["compared"] = nlohmann::json::array();
    for (const workload::ComparedPlace& place : compared) facts["compared"].push_back(workload::to_json(place));
    const bool to_people = !options.csv.on_stdout() && !options.badblocks.on_stdout();
    int status = tell(console, options.facts, facts, [&] {
        if (!to_people) return;
        console.out << report::scan_text(found->scan, found->layout, console.columns);
        if (other) console.out << report::scan_comparison_text(compared, console.columns);
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
    command->add_option("--compare", options->compare,
                        "a scan of the same medium in another reader, written by scan --json=FILE: report whether the "
                        "medium or a reader causes each weak place");
    add_quiet_option(*command, options->quiet);
    add_agent_option(*command, options->agent);
    command->callback(
        [options, &console, &action] { action = [options, &console] { return scan(console, *options); }; });
}

} // namespace mediarig::cli

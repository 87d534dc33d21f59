// SPDX-License-Identifier: GPL-3.0-or-later
/// Checks the measuring station: wear of sockets and cards, gage studies, control charts.
#include "host/cli/commands/rig_command.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/app/files/campaign_lock.hpp"
#include "host/app/files/paths.hpp"
#include "host/cli/facts.hpp"
#include "host/cli/text/text.hpp"
#include "host/measure/gage/control_chart.hpp"
#include "host/report/calibration/from_records.hpp"
#include "host/store/sqlite/open_store.hpp"
#include "host/store/sqlite/wear.hpp"

namespace mediarig::cli {
namespace {

using nlohmann::json;

struct CalibrationOptions {
    Facts facts;
    std::string store, cell, device, board;
    bool lock{};
    unsigned socket_limit{5000}, card_limit{10'000}, replaced{}, campaigns{100}, baseline{20};
};

constexpr double warned_share = 0.7;

struct DeviceWear {
    std::string what;
    std::uint64_t cycles{};
    unsigned limit{};
    [[nodiscard]] double share() const { return static_cast<double>(cycles) / limit; }
    [[nodiscard]] const char* state() const {
        if (share() >= 1) return "worn out";
        return share() >= warned_share ? "wears out" : "good";
    }
};

int show_wear(const Console& console, const CalibrationOptions& options) {
    if (auto there = app::check_store_exists(options.store); !there) return report(console, there.error());
    if (options.replaced != 0) {
        const auto now = std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
        const auto noted =
            store::note_replaced_socket(options.store, options.board, rig::port_numbered(options.replaced), now);
        if (!noted) return report(console, noted.error());
    }
    const auto wear = store::read_wear(options.store);
    if (!wear) return report(console, wear.error());
    std::vector<DeviceWear> all;
    for (const store::SocketWear& each : wear->sockets)
        all.push_back({fmt::format("socket of port {}, board {}", number_of(each.port), each.board), each.cycles,
                       options.socket_limit});
    for (const store::CardWear& each : wear->cards)
        all.push_back({fmt::format("medium {} ({})", each.name, each.device), each.cycles, options.card_limit});
    json list = json::array();
    TextTable table({"WHAT", "MATED", "LIMIT", "SHARE", "STATE"});
    for (const DeviceWear& each : all) {
        list.push_back({{"what", each.what}, {"cycles", each.cycles}, {"limit", each.limit}, {"state", each.state()}});
        table.add({each.what, fmt::format("{}", each.cycles), fmt::format("{}", each.limit),
                   fmt::format("{:.0f} %", 100 * each.share()), each.state()});
    }
    const int failed = tell(console, options.facts, {{"mediarig_wear", 1}, {"wear", list}}, [&] {
        if (all.empty())
            console.out << "no mating of a socket or a medium is recorded yet\n";
        else
            console.out << table.text(console.columns);
    });
    if (failed != 0) return failed;
    return std::ranges::any_of(all, [](const DeviceWear& each) { return each.share() >= 1; }) ? 1 : 0;
}

/// Reads the newest campaigns, at most as many as the option allows.
Result<std::vector<store::CampaignView>> read_campaigns(const CalibrationOptions& options) {
    if (auto there = app::check_store_exists(options.store); !there) return fail(std::move(there.error()));
    auto store = store::open_store_read_only(options.store);
    if (!store) return fail(std::move(store.error()));
    auto records = (*store)->campaigns();
    if (!records) return fail(std::move(records.error()));
    if (records->size() > options.campaigns) records->resize(options.campaigns);
    std::vector<store::CampaignView> views;
    for (const store::CampaignRecord& record : *records) {
        auto view = (*store)->load(record.id);
        if (!view) return fail(std::move(view.error()));
        views.push_back(std::move(*view));
    }
    return views;
}

json component_json(const measure::GageStudy& study, double variance) {
    return {{"variance", variance}, {"percent", study.percent_of(variance)}};
}

int study(const Console& console, const CalibrationOptions& options) {
    auto campaigns = read_campaigns(options);
    if (!campaigns) return report(console, campaigns.error());
    const auto studied = calibration::gage_from(std::move(*campaigns), options.cell);
    if (!studied) return report(console, studied.error());
    const auto found = measure::study_gage(studied->data);
    if (!found) return report(console, found.error());
    const json facts{{"mediarig_gage_study", 1},
                     {"cell", options.cell},
                     {"media", studied->parts},
                     {"slots", studied->slots},
                     {"trials", studied->data.trials},
                     {"left_out", studied->left_out},
                     {"pooled", found->pooled},
                     {"repeatability", component_json(*found, found->repeatability)},
                     {"slots_variation", component_json(*found, found->slots)},
                     {"interaction", component_json(*found, found->interaction)},
                     {"gage", component_json(*found, found->gage())},
                     {"parts", component_json(*found, found->parts)},
                     {"categories", found->categories()},
                     {"verdict", measure::name_of(found->verdict())}};
    const int failed = tell(console, options.facts, facts, [&] {
        console.out << line_of(fmt::format("{} media x {} slots x {} trials of {}", studied->parts.size(),
                                           studied->slots.size(), studied->data.trials, options.cell));
        for (const std::string& line : studied->left_out) console.out << line_of("left out: " + line);
        TextTable table({"SOURCE", "STANDARD DEVIATION, MB/s", "OF ALL"});
        const auto add = [&](const char* name, double variance) {
            table.add({name, fmt::format("{:.4f}", std::sqrt(variance)),
                       fmt::format("{:.1f} %", found->percent_of(variance))});
        };
        add("repeatability", found->repeatability);
        add("slots", found->slots);
        add("slots by media", found->interaction);
        add("the station (GRR)", found->gage());
        add("media", found->parts);
        console.out << table.text(console.columns);
        console.out << line_of(
            fmt::format("{:.1f} distinct categories: {}", found->categories(), measure::name_of(found->verdict())));
    });
    if (failed != 0) return failed;
    return found->verdict() == measure::GageVerdict::unacceptable ? 1 : 0;
}

app::StationLock lock_for(const CalibrationOptions& options, const std::vector<double>& values,
                          const measure::ControlSignal& signal) {
    return {.device = options.device,
            .cell = options.cell,
            .why = fmt::format("value {}, {:.2f} MB/s: {}", signal.index + 1, values[signal.index],
                               measure::name_of(signal.rule)),
            .since =
                fmt::format("{:%Y-%m-%d}", std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()))};
}

int chart(const Console& console, const CalibrationOptions& options) {
    const auto campaigns = read_campaigns(options);
    if (!campaigns) return report(console, campaigns.error());
    const auto charted = calibration::chart_from(*campaigns, options.device, options.cell);
    if (!charted) return report(console, charted.error());
    std::vector<double> values;
    for (const calibration::ChartedValue& each : *charted) values.push_back(each.value);
    const std::size_t first = std::min<std::size_t>(values.size(), options.baseline);
    const auto limits = measure::control_limits(
        std::vector<double>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(first)));
    if (!limits) return report(console, limits.error());
    const auto signals = measure::control_signals(values, *limits);
    json told = json::array();
    for (const measure::ControlSignal& signal : signals)
        told.push_back(
            {{"index", signal.index}, {"value", values[signal.index]}, {"rule", measure::name_of(signal.rule)}});
    const json facts{
        {"mediarig_control_chart", 1}, {"cell", options.cell},   {"device", options.device}, {"values", values},
        {"centre", limits->centre},    {"lower", limits->lower}, {"upper", limits->upper},   {"signals", told}};
    const int failed = tell(console, options.facts, facts, [&] {
        console.out << line_of(fmt::format("{} values; from the first {}: centre {:.2f} MB/s, limits {:.2f} to {:.2f}",
                                           values.size(), first, limits->centre, limits->lower, limits->upper));
        for (const measure::ControlSignal& signal : signals)
            console.out << line_of(fmt::format("value {}, {:.2f} MB/s: {}", signal.index + 1, values[signal.index],
                                               measure::name_of(signal.rule)));
        if (signals.empty()) console.out << "in control\n";
    });
    if (failed != 0) return failed;
    // Only the newest value locks the station: the cause of an earlier excursion is already corrected.
    const bool out_now = !signals.empty() && signals.back().index + 1 == values.size();
    if (options.lock) {
        const auto done = out_now ? app::lock_station(options.store, lock_for(options, values, signals.back()))
                                  : app::unlock_station(options.store, options.device, options.cell);
        if (!done) return report(console, done.error());
    }
    return out_now ? 1 : 0;
}

} // namespace

void add_calibration_commands(CLI::App& rig, Console& console, Action& action) {
    auto options = std::make_shared<CalibrationOptions>();
    const auto add = [&](const std::string& name, const std::string& what, auto run) {
        CLI::App* command = add_facts_command(rig, name, what, options, run, console, action);
        add_store_option(*command, options->store);
        return command;
    };
    const auto positive = CLI::Range(1U, 1'000'000U);
    CLI::App* command = add("wear", "how often sockets and media were mated, against their limits", show_wear);
    command->add_option("--socket-limit", options->socket_limit, "mating cycles of a reader's socket")
        ->check(positive)
        ->capture_default_str();
    command->add_option("--card-limit", options->card_limit, "mating cycles of a medium")
        ->check(positive)
        ->capture_default_str();
    CLI::Option* board = command->add_option("--board", options->board, "board with the replaced socket");
    command->add_option("--replaced", options->replaced, "number of the port with the replaced socket, from 1")
        ->check(CLI::Range(1U, 8U))
        ->needs(board);
    const auto add_cell = [&](CLI::App& to) {
        to.add_option("--cell", options->cell, "id of the measured cell, as in mediarig results --json")->required();
        to.add_option("--campaigns", options->campaigns, "number of the newest campaigns to read")
            ->check(positive)
            ->capture_default_str();
    };
    command = add("gage-study", "contribution of the station to the measured variation: gage R&R by ANOVA", study);
    add_cell(*command);
    command = add("control-chart", "check the station for drift with a golden medium", chart);
    add_cell(*command);
    command->add_option("--device", options->device, "the golden medium: its key, or its name")->required();
    command->add_flag("--lock", options->lock,
                      "lock this station while the newest value is out of limits: only the lab can be measured then");
    command
        ->add_option("--baseline", options->baseline,
                     "number of the medium's first values, from which the limits are computed")
        ->check(CLI::Range(8U, 1'000'000U))
        ->capture_default_str();
}

} // namespace mediarig::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/terminal.hpp"

#include <fmt/format.h>

#include "host/report/display_text.hpp"
#include "host/report/findings.hpp"
#include "host/report/holdings.hpp"
#include "host/report/prices.hpp"
#include "host/report/tables.hpp"
#include "host/report/text.hpp"
#include "host/report/text_table.hpp"
#include "host/store/record_json.hpp"

namespace mediarig::report {
namespace {

using measure::Grade;

/// Reverse video in the grade's colour; the word itself says the same without colour.
std::string badge(Grade grade, Colour colour) {
    std::string word = fmt::format("{:<11} ", measure::name_of(grade));
    if (colour == Colour::plain) return word;
    const int code = grade == Grade::pass ? 32 : grade == Grade::fail || grade == Grade::fake ? 31 : 33;
    return fmt::format("\033[1;{}m{}\033[0m", code, word);
}

std::string head(const store::CampaignView& view, const TableOptions& options) {
    const store::CampaignRecord& campaign = view.campaign;
    std::string text = fmt::format("Campaign {}", printable(campaign.name));
    std::string line = fmt::format("{}, {}", printable(campaign.id), time_text(campaign.started));
    if (campaign.ended) line += ", " + duration_text(*campaign.ended - campaign.started);
    line += fmt::format(", {}", store::name_of(campaign.state));
    return emphasised(text, options.colour) + "\n" + faint(wrapped(line, options.width, ""), options.colour) + "\n";
}

std::string findings(const store::CampaignView& view, const TableOptions& options) {
    std::string out;
    for (const PlacedFinding& placed : findings_of(view)) {
        std::string place = view.devices[placed.device].device.name;
        if (!placed.place.empty()) place += ", " + placed.place;
        std::string text = fmt::format("{:<8}{}: {}", measure::name_of(placed.finding.severity), printable(place),
                                       printable(placed.finding.detail));
        if (placed.finding.count > 1) text += fmt::format(" ({} times)", placed.finding.count);
        out += wrapped(text, options.width, "        ") + "\n";
    }
    return out;
}

std::string verdicts(const store::CampaignView& view, const TableOptions& options) {
    std::string out;
    for (const store::DeviceView& device : view.devices) {
        const std::string name =
            fmt::format("{}  ({})", printable(device.device.name), printable(identity_text(device.device.identity)));
        if (!device.verdict) {
            out += fmt::format("{:<12}{}\n", "no verdict", name);
            continue;
        }
        out += badge(device.verdict->grade, options.colour) + name + "\n";
        for (const std::string& reason : device.verdict->reasons)
            out += "  " + wrapped(printable(reason), options.width - 2, "    ") + "\n";
    }
    return out;
}

} // namespace

std::string render_tables(const store::CampaignView& campaign, const TableOptions& options) {
    std::string out = head(campaign, options);
    const Figures figures(campaign);
    for (const Table& table : tables_of(campaign, figures)) out += "\n" + lay_out(table, options);
    for (const Table& table : comparisons_of(campaign, figures)) out += "\n" + lay_out(table, options);
    for (const Table& table : price_tables_of(campaign)) out += "\n" + lay_out(table, options);
    if (const auto usable = usable_table(campaign)) out += "\n" + lay_out(*usable, options);
    const std::string found = findings(campaign, options);
    if (!found.empty()) out += "\n" + emphasised("Findings", options.colour) + "\n" + found;
    out += "\n" + emphasised("Verdicts", options.colour) + "\n" + verdicts(campaign, options);
    return out;
}

} // namespace mediarig::report

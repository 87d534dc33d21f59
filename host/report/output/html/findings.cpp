// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/figures/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/plan/steps.hpp"
#include "host/report/output/html/html_table.hpp"
#include "host/report/output/html/parts.hpp"
#include "host/report/text/display_text.hpp"
#include "host/report/text/place_map.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::report::html {
namespace {

/// From the best to the worst, which is drawn last.
constexpr std::array drawn_states{workload::PlaceState::good, workload::PlaceState::slow,
                                  workload::PlaceState::unreadable, workload::PlaceState::unwritten,
                                  workload::PlaceState::not_kept};

const char* class_of(workload::PlaceState state) {
    switch (state) {
        case workload::PlaceState::good:
            return "good";
        case workload::PlaceState::slow:
            return "slow";
        case workload::PlaceState::unreadable:
        case workload::PlaceState::unwritten:
            return "unreadable";
        case workload::PlaceState::not_kept:
            break;
    }
    return "bad";
}

std::string place_of(const measure::Finding& finding) {
    if (!finding.offset) return "–";
    if (finding.end)
        return fmt::format("{} <small>between bytes {} and {}</small>", size_text(finding.length),
                           finding.offset->count, finding.end->count);
    return fmt::format("{} <small>at byte {}</small>", size_text(finding.length), finding.offset->count);
}

/// Draws the medium from its first to its last byte: damaged ranges in the colour of a fault, and the checked places of
/// a probe, which leave the rest unchecked.
std::string map_of(const workload::VerifyOutcome& outcome) {
    constexpr double width = 1000;
    const double whole = static_cast<double>(std::max<std::uint64_t>(outcome.claimed.count, 1));
    std::string text = fmt::format(
        "<svg class=\"map\" viewBox=\"0 0 1000 24\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\"><rect "
        "class=\"{}\" width=\"1000\" height=\"24\"/>",
        outcome.places.empty() ? "damaged ranges" : "checked places", outcome.places.empty() ? "good" : "unchecked");
    const auto draw = [&](const char* kind, Bytes offset, Bytes length) {
        const double x = static_cast<double>(offset.count) / whole * width;
        // A single sector of a large medium must be visible.
        const double w = std::max(2.0, static_cast<double>(length.count) / whole * width);
        text += fmt::format("<rect class=\"{}\" x=\"{:.2f}\" width=\"{:.2f}\" height=\"24\"/>", kind,
                            std::min(x, width - w), w);
    };
    for (const auto state : drawn_states)
        for (const workload::CheckedPlace& place : outcome.places)
            if (place.state == state) draw(class_of(state), place.offset, place.length);
    for (const workload::DamagedRange& range : outcome.damaged) draw("bad", range.offset, range.length);
    return text + "</svg>";
}

/// A sentence about each state of the checked places.
std::string legend_of(const workload::VerifyOutcome& outcome) {
    std::string text;
    for (const auto state : drawn_states) {
        const auto count = std::ranges::count(outcome.places, state, &workload::CheckedPlace::state);
        if (count > 0)
            text += fmt::format("<span class=\"swatch {}\"></span> {} {} ", class_of(state), count,
                                report::title_of(state));
    }
    return text.empty() ? "" : "<p class=\"note\">" + text + "</p>";
}

std::string ranges_of(const workload::VerifyOutcome& outcome) {
    constexpr std::size_t shown = 20;
    ListTable table({{"Offset, bytes"}, {"Length"}, {"Kind", ColumnKind::text}, {"Content belongs at"}});
    for (std::size_t i = 0; i < std::min(shown, outcome.damaged.size()); ++i) {
        const workload::DamagedRange& range = outcome.damaged[i];
        table.add({std::to_string(range.offset.count), std::to_string(range.length.count),
                   std::string(workload::name_of(range.kind)),
                   range.belongs_at ? std::to_string(range.belongs_at->count) : "–"});
    }
    std::string more;
    if (outcome.damaged.size() > shown)
        more = fmt::format("<p class=\"note\">{} more ranges are in the results as JSON.</p>",
                           outcome.damaged.size() - shown);
    return table.html() + more;
}

} // namespace

std::string findings_of(const store::CampaignView& view) {
    constexpr std::size_t most = 200;
    const FindingGroups found = report::findings_of(view);
    ListTable table({{"Severity", ColumnKind::text},
                     {"Device", ColumnKind::head},
                     {"Where", ColumnKind::text},
                     {"Kind", ColumnKind::text},
                     {"Observation", ColumnKind::wide},
                     {"Place"}});
    for (std::size_t i = 0; i < std::min(most, found.size()); ++i) {
        const FindingGroup& group = found[i];
        const measure::Finding& finding = group.worst;
        const std::string severity(measure::name_of(finding.severity));
        table.add({severity, html_escaped(view.devices[group.device].device.name), html_escaped(group.place),
                   fmt::format("<code>{}</code>", measure::name_of(finding.kind)),
                   html_escaped(finding.detail) +
                       (finding.count > 1 ? fmt::format(" ({} times)", finding.count) : std::string()),
                   place_of(finding)},
                  severity);
    }
    std::string untested;
    for (const store::DeviceView& device : view.devices)
        for (const measure::Untested& what : device.untested)
            untested += fmt::format("<li><b>{}</b>: {}</li>", html_escaped(device.device.name),
                                    html_escaped(plan::untested_text(what)));
    std::string text = found.empty() ? "<p>No findings.</p>\n" : table.html();
    if (found.size() > most)
        text += fmt::format("<p class=\"note\">{} more are in the results as JSON.</p>\n", found.size() - most);
    if (!untested.empty()) text += "<h3>Not tested</h3><ul>" + untested + "</ul>\n";
    return text;
}

std::string damage_of(const store::CampaignView& view) {
    std::string text;
    for (const store::DeviceView& device : view.devices)
        for (const store::PassView& pass : device.passes) {
            if (!pass.end || !pass.end->verify) continue;
            const workload::VerifyOutcome& outcome = *pass.end->verify;
            if (outcome.damaged.empty() && outcome.places.empty()) continue;
            text += fmt::format(
                "<h3>{}: {}, {} pass {}</h3><p>{} of {} damaged.</p>{}{}<p class=\"ends\"><span>0"
                "</span><span>{}</span></p>{}\n",
                outcome.places.empty() ? "Damage map" : "Map of the checked places", html_escaped(device.device.name),
                html_escaped(format_title(pass.pass.format)), pass.pass.repeat, size_text(outcome.damaged_bytes),
                size_text(outcome.claimed), legend_of(outcome), map_of(outcome), size_text(outcome.claimed),
                outcome.damaged.empty() ? std::string() : ranges_of(outcome));
        }
    return text;
}

} // namespace mediarig::report::html

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/figures/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/plan/steps.hpp"
#include "host/report/output/html/html_table.hpp"
#include "host/report/output/html/parts.hpp"
#include "host/report/text/display_text.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::report::html {
namespace {

std::string place_of(const measure::Finding& finding) {
    if (!finding.offset) return "–";
    if (finding.end)
        return fmt::format("{} <small>between bytes {} and {}</small>", size_text(finding.length),
                           finding.offset->count, finding.end->count);
    return fmt::format("{} <small>at byte {}</small>", size_text(finding.length), finding.offset->count);
}

/// Draws the medium from its first to its last byte, with damaged ranges in the colour of a fault.
std::string map_of(const workload::VerifyOutcome& outcome) {
    constexpr double width = 1000;
    const double whole = static_cast<double>(std::max<std::uint64_t>(outcome.claimed.count, 1));
    std::string text =
        "<svg class=\"map\" viewBox=\"0 0 1000 24\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"damaged "
        "ranges\"><rect class=\"good\" width=\"1000\" height=\"24\"/>";
    for (const workload::DamagedRange& range : outcome.damaged) {
        const double x = static_cast<double>(range.offset.count) / whole * width;
        // A single bad sector of a large medium must be visible.
        const double w = std::max(2.0, static_cast<double>(range.length.count) / whole * width);
        text +=
            fmt::format("<rect class=\"bad\" x=\"{:.2f}\" width=\"{:.2f}\" height=\"24\"/>", std::min(x, width - w), w);
    }
    return text + "</svg>";
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
            if (!pass.end || !pass.end->verify || pass.end->verify->damaged.empty()) continue;
            const workload::VerifyOutcome& outcome = *pass.end->verify;
            text += fmt::format(
                "<h3>Damage map: {}, {} pass {}</h3><p>{} of {} damaged.</p>{}<p class=\"ends\"><span>0"
                "</span><span>{}</span></p>{}\n",
                html_escaped(device.device.name), html_escaped(format_title(pass.pass.format)), pass.pass.repeat,
                size_text(outcome.damaged_bytes), size_text(outcome.claimed), map_of(outcome),
                size_text(outcome.claimed), ranges_of(outcome));
        }
    return text;
}

} // namespace mediarig::report::html

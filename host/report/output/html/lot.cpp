// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/cards/lot.hpp"

#include <fmt/format.h>

#include <map>

#include "host/report/output/html/html_table.hpp"
#include "host/report/output/html/parts.hpp"
#include "host/report/text/display_text.hpp"
#include "host/report/text/metric_text.hpp"

namespace mediarig::report::html {
namespace {

/// The first suite that has headline figures, and the format under which most devices ran the suite.
struct MostUsedSuite {
    const suites::Suite* suite{};
    std::map<std::size_t, Subject> by_device;
};

MostUsedSuite compared_by(const Figures& figures) {
    for (const std::string& name : figures.suites()) {
        const suites::Suite* suite = suites::find_suite(name);
        if (suite == nullptr || suite->headlines.empty()) continue;
        std::map<std::string, std::map<std::size_t, Subject>> by_format;
        for (const Subject& subject : figures.subjects(name))
            by_format[subject.format].emplace(subject.device, subject);
        MostUsedSuite most{.suite = suite, .by_device = {}};
        for (auto& [format, devices] : by_format)
            if (devices.size() > most.by_device.size()) most.by_device = std::move(devices);
        return most;
    }
    return {};
}

} // namespace

std::string lot_of(const store::CampaignView& campaign) {
    const Figures figures = Figures::verdict_figures(campaign);
    const MostUsedSuite compared = compared_by(figures);
    std::vector<Column> columns{
        {"Device", ColumnKind::head}, {"Grade", ColumnKind::text}, {"Capacity"}, {"Why", ColumnKind::wide}};
    if (compared.suite != nullptr)
        for (const suites::Headline& headline : compared.suite->headlines) columns.push_back({headline.title});
    ListTable table(std::move(columns));
    for (const std::size_t device : worst_first(campaign)) {
        const store::DeviceView& view = campaign.devices[device];
        std::vector<std::string> cells{
            html_escaped(view.device.name) +
                (view.device.identity.serial.empty() || view.device.identity.serial == view.device.name
                     ? ""
                     : " <small>" + html_escaped(view.device.identity.serial) + "</small>"),
            badge(view.verdict ? std::optional(view.verdict->grade) : std::nullopt),
            view.device.identity.size == 0_B ? "–" : medium_size_text(view.device.identity),
            html_escaped(verdict_text(view, campaign.campaign.state))};
        if (compared.suite != nullptr)
            for (const suites::Headline& headline : compared.suite->headlines) {
                const auto subject = compared.by_device.find(device);
                cells.push_back(
                    subject == compared.by_device.end()
                        ? "–"
                        : text_of(figure_text(figures.passes(subject->second, compared.suite->name, headline.metric),
                                              headline.decimals)));
            }
        table.add(cells);
    }
    std::string text = charts_of(lot_charts(figures));
    if (!text.empty())
        text +=
            "<p class=\"note\">Each line goes through the means of all devices, from the slowest to the fastest: at 50 "
            "% half of "
            "them are slower.</p>\n";
    const std::string format =
        compared.by_device.empty() ? "" : format_title(compared.by_device.begin()->second.format);
    text += "<div class=\"lot\">" + table.html() + "</div>\n";
    if (!format.empty())
        text += fmt::format("<p class=\"note\">Worst first; figures under {}.</p>\n", html_escaped(format));
    return text;
}

} // namespace mediarig::report::html

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/html/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/report/charts.hpp"
#include "host/report/figures.hpp"
#include "host/report/html/assets.hpp"
#include "host/report/html/parts.hpp"
#include "host/report/prices.hpp"
#include "host/report/results_json.hpp"
#include "host/report/tables.hpp"
#include "host/report/text.hpp"

namespace mediarig::report {
namespace {

/// JSON that may stand inside <script>: nothing in it can end the element, begin a comment, or be a tag.
std::string script_safe(const nlohmann::json& value) {
    const std::string text = value.dump(-1, ' ', true);
    std::string result;
    result.reserve(text.size());
    for (const char c : text) switch (c) {
            case '<':
                result += "\\u003c";
                break;
            case '>':
                result += "\\u003e";
                break;
            case '&':
                result += "\\u0026";
                break;
            default:
                result += c;
        }
    return result;
}

class Page {
public:
    /// A section that has nothing to say is left out, and so is its place in the contents.
    void add(const std::string& id, const std::string& title, const std::string& content) {
        if (content.empty()) return;
        contents_ += fmt::format("<a href=\"#{}\">{}</a>", id, title);
        sections_ += fmt::format("<section id=\"{}\"><h2>{}</h2>\n{}</section>\n", id, title, content);
    }
    [[nodiscard]] std::string contents() const { return "<nav>" + contents_ + "</nav>\n"; }
    [[nodiscard]] const std::string& sections() const { return sections_; }

private:
    std::string contents_;
    std::string sections_;
};

std::string tables_html(const std::vector<Table>& tables) {
    std::string text;
    for (const Table& table : tables) text += html::table_of(table);
    return text;
}

/// Before the charts, too: whoever looks at bars only has read it then.
std::string cautions_of(const std::vector<Table>& tables) {
    std::string text;
    std::vector<std::string> said;
    for (const Table& table : tables) {
        if (table.caution.empty() || std::find(said.begin(), said.end(), table.caution) != said.end()) continue;
        said.push_back(table.caution);
        text += fmt::format("<p class=\"caution\">{}</p>\n", html_escaped(table.caution));
    }
    return text;
}

std::string with_note(const std::string& charts, const std::string& note) {
    return charts.empty() ? charts : charts + "<p class=\"note\">" + note + "</p>\n";
}

} // namespace

std::string render_html(const store::CampaignView& campaign) {
    const Figures figures(campaign);
    const std::vector<Chart> charts = charts_of(campaign, figures);
    nlohmann::json data = {{"charts", nlohmann::json::array()}, {"results", results_json(campaign, Detail::summary)}};
    for (const Chart& chart : charts) data["charts"].push_back(to_json(chart));

    Page page;
    page.add("verdicts", "Verdicts", html::verdicts_of(campaign));
    const std::vector<Table> tables = tables_of(campaign, figures);
    const std::string sweeps =
        with_note(html::charts_of(charts, "sweep"),
                  "Logarithmic block axis. Lines are means of the passes, whiskers their range. Click a name to "
                  "hide or show its line.");
    page.add("sweeps", "Rate by block size", sweeps.empty() ? sweeps : cautions_of(tables) + sweeps);
    const std::vector<Table> comparisons = comparisons_of(campaign, figures);
    page.add("formats", "Formats compared",
             cautions_of(comparisons) +
                 with_note(html::charts_of(charts, "formats"), "Bars are means of the passes, whiskers their range.") +
                 tables_html(comparisons));
    const std::vector<Table> prices = price_tables_of(campaign);
    page.add("prices", "Price of each deviation", tables_html(prices));
    page.add("tables", "Tables", tables_html(tables));
    page.add("latency", "Latency",
             with_note(html::charts_of(charts, "latency"),
                       "All passes together at the smallest block size, logarithmic; whiskers are the range of the "
                       "passes. Every cell's percentiles stand under “How each number was made”."));
    page.add("time", "Rate over time",
             with_note(html::charts_of(charts, "time"),
                       "The longest cells of each suite, a point a second or a group of seconds."));
    page.add("findings", "Findings", html::findings_of(campaign) + html::damage_of(campaign));
    page.add("identity", "Identity", html::identity_of(campaign));
    page.add("layout", "Before and after", html::layout_of(campaign));
    page.add("limits", "Limits", html::limits_of(campaign));
    page.add("method", "How each number was made", html::method_of(campaign));

    const std::string name = campaign.campaign.name.empty() ? campaign.campaign.id : campaign.campaign.name;
    return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<meta name=\"color-scheme\" content=\"light dark\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
           "style-src 'unsafe-inline'\">\n<title>" +
           html_escaped(name) + " – mediarig report</title>\n<style>\n" + html::report_css() +
           "</style></head>\n<body><main>\n" + html::head_of(campaign) + page.contents() + page.sections() +
           "<footer>Campaign " + html_escaped(campaign.campaign.id) +
           ". Rates are decimal: 1 MB/s = 10<sup>6</sup> bytes a second. Block sizes are binary: 1 KB = 2<sup>10</sup> "
           "bytes. The page carries its data and needs no network.</footer>\n</main>\n"
           "<script type=\"application/json\" id=\"mediarig-data\">" +
           script_safe(data) + "</script>\n<!--\n" + html::chart_licence() + "-->\n<script>" + html::chart_js() +
           "</script>\n<script>" + html::report_js() + "</script>\n</body></html>\n";
}

} // namespace mediarig::report

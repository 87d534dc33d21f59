// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/html/html.hpp"

#include <fmt/format.h>

#include <numeric>

#include "host/report/card.hpp"
#include "host/report/charts.hpp"
#include "host/report/figures.hpp"
#include "host/report/html/assets.hpp"
#include "host/report/html/parts.hpp"
#include "host/report/prices.hpp"
#include "host/report/tables.hpp"
#include "host/report/text.hpp"

namespace mediarig::report {
namespace {

class Page {
public:
    /// A section that has nothing to say is left out, and so is its place in the contents.
    void add(const std::string& id, const std::string& title, const std::string& content) {
        if (content.empty()) return;
        contents_ += fmt::format("<a href=\"#{}\">{}</a>", id, title);
        sections_ += fmt::format("<section id=\"{}\"><h2>{}</h2>\n{}</section>\n", id, title, content);
    }
    /// Shut until somebody wants to know; on paper it stays away. A link to what lies within opens it.
    void fold(const std::string& id, const std::string& title, const std::string& content) {
        if (content.empty()) return;
        contents_ += fmt::format("<a href=\"#{}\">{}</a>", id, title);
        folds_ +=
            fmt::format("<details class=\"fold\"><summary><h2>{}</h2></summary><div id=\"{}\">\n{}</div></details>\n",
                        title, id, content);
    }
    [[nodiscard]] std::string text() const {
        std::string text = "<nav>" + contents_ + "</nav>\n" + sections_;
        if (!folds_.empty())
            text +=
                "<p class=\"on-paper note\">Tables, findings, identities, layouts and how each number was made are "
                "in the file that this was printed from.</p>\n" +
                folds_;
        return text;
    }

private:
    std::string contents_, sections_, folds_;
};

std::string tables_html(const std::vector<Table>& tables) {
    std::string text;
    for (const Table& table : tables) text += html::table_of(table);
    return text;
}

std::string with_note(const std::string& charts, const std::string& note) {
    return charts.empty() ? charts : charts + "<p class=\"note\">" + note + "</p>\n";
}

} // namespace

std::string render_html(const store::CampaignView& campaign) {
    const Figures figures(campaign);
    std::vector<std::size_t> all(campaign.devices.size());
    std::iota(all.begin(), all.end(), std::size_t{});
    std::vector<Table> compared = comparisons_of(campaign, figures);
    const std::size_t comparisons = compared.size();
    std::ranges::move(tables_of(campaign, figures), std::back_inserter(compared));
    say_cautions_once(compared);
    const auto behind = compared.begin() + static_cast<std::ptrdiff_t>(comparisons);

    Page page;
    page.add("devices", "Devices", html::cards_of(campaign, cards_of(campaign, figures, all)));
    page.add("formats", "Formats compared", tables_html({compared.begin(), behind}));
    page.add("speed", "Speed",
             with_note(html::charts_of(speed_charts(campaign, figures)),
                       "Lines and marks are means of the passes, whiskers their range. Charts of one suite and "
                       "direction share their scale."));
    page.add("prices", "Price of each deviation", tables_html(price_tables_of(campaign)));
    page.fold("tables", "Tables", tables_html({behind, compared.end()}));
    page.fold("findings", "Findings", html::findings_of(campaign) + html::damage_of(campaign));
    page.fold("limits", "Limits", html::limits_of(campaign));
    page.fold("course", "Latency and course",
              with_note(html::charts_of(detail_charts(campaign, figures)),
                        "Latencies are of all passes together at the smallest block size, whiskers the range of the "
                        "passes; every cell’s percentiles stand under “How each number was made”. A point of a "
                        "course is a second or a group of seconds."));
    page.fold("identity", "Identity", html::identity_of(campaign));
    page.fold("layout", "Before and after", html::layout_of(campaign));
    page.fold("method", "How each number was made", html::method_of(campaign));

    const std::string name = campaign.campaign.name.empty() ? campaign.campaign.id : campaign.campaign.name;
    return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<meta name=\"color-scheme\" content=\"light dark\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
           "<title>" +
           html_escaped(name) + " – mediarig report</title>\n<style>\n" + html::report_css() +
           "</style></head>\n<body><main>\n" + html::head_of(campaign) + page.text() + "<footer>Campaign " +
           html_escaped(campaign.campaign.id) +
           ". Rates are decimal: 1 MB/s = 10<sup>6</sup> bytes a second. Block sizes are binary: 1 KB = 2<sup>10</sup> "
           "bytes. The page needs no network and no script.</footer>\n</main></body></html>\n";
}

} // namespace mediarig::report

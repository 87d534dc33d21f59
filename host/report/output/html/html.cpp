// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/output/html/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "host/report/cards/card.hpp"
#include "host/report/cards/lot.hpp"
#include "host/report/cards/summary.hpp"
#include "host/report/charts/charts.hpp"
#include "host/report/charts/comparison_drawing.hpp"
#include "host/report/figures/figures.hpp"
#include "host/report/output/html/parts.hpp"
#include "host/report/output/html/summary_drawing.hpp"
#include "host/report/tables/comparison_record.hpp"
#include "host/report/tables/tables.hpp"
#include "host/report/text/display_text.hpp"
#include "host/report/text/metric_text.hpp"

namespace mediarig::report {
namespace {

class Page {
public:
    /// An empty section is omitted, also from the contents.
    void add(const std::string& id, const std::string& title, const std::string& content) {
        if (content.empty()) return;
        contents_ += fmt::format("<a href=\"#{}\">{}</a>", id, title);
        sections_ += fmt::format("<section id=\"{}\"><h2>{}</h2>\n{}</section>\n", id, title, content);
    }
    /// Adds the section before the contents.
    void begin(const std::string& html) { first_ += html; }
    /// Adds text between two sections.
    void say(const std::string& html) { sections_ += html; }
    enum class OnPaper : std::uint8_t { omitted, printed };
    /// Adds a section that is closed at first. A link to its content opens it.
    void fold(const std::string& id, const std::string& title, const std::string& content,
              OnPaper on_paper = OnPaper::omitted) {
        if (content.empty()) return;
        contents_ += fmt::format("<a href=\"#{}\">{}</a>", id, title);
        folds_ +=
            fmt::format("<details class=\"fold{}\"><summary><h2>{}</h2></summary><div id=\"{}\">\n{}</div></details>\n",
                        on_paper == OnPaper::printed ? " printed" : "", title, id, content);
    }
    [[nodiscard]] std::string text() const {
        std::string text = first_ + "<nav>" + contents_ + "</nav>\n" + sections_;
        if (!folds_.empty())
            text +=
                "<p class=\"on-paper note\">Findings, identities, layouts and how each number was made are in the file "
                "that this was printed from.</p>\n" +
                folds_;
        return text;
    }

private:
    std::string first_, contents_, sections_, folds_;
};

std::string tables_html(const std::vector<Table>& tables) {
    std::string text;
    for (const Table& table : tables) text += html::table_of(table);
    return text;
}

std::string with_note(const std::string& charts, const std::string& note) {
    return charts.empty() ? charts : charts + "<p class=\"note\">" + note + "</p>\n";
}

/// Up to `most_answered` devices, all have cards on the page; otherwise only `answered_of_more` devices have cards.
constexpr std::size_t most_answered = 100, answered_of_more = 20;

/// The devices that the page shows in detail come first.
std::vector<std::size_t> answered(const store::CampaignView& campaign) {
    std::vector<std::size_t> devices = worst_first(campaign);
    if (devices.size() > most_answered)
        devices.resize(answered_of_more);
    else if (devices.size() <= most_detailed)
        std::ranges::sort(devices);
    return devices;
}

/// Returns the sentences first, then the drawing, then the tables.
std::string comparison_html(const store::CampaignView& campaign) {
    const auto of = comparison_of(campaign);
    if (!of) return {};
    std::string text;
    for (const DeviceComparison& device : of->devices) {
        if (device.course.blocks.empty()) continue;
        text += "<h3>" + html_escaped(campaign.devices[device.device].device.name) + "</h3>\n";
        for (const std::string& sentence : device.sentences)
            text += "<p><strong>" + html_escaped(sentence) + "</strong></p>\n";
        if (const std::string picture = comparison_svg(device, *of); !picture.empty())
            text += "<figure><figcaption>Intervals at 95 %, valid at every look; the band is the margin of " +
                    fmt::format("{:.3g}", of->plan.compare->margin_percent) +
                    " %. Block by block: points are blocks, lines the interval after each</figcaption><div "
                    "class=\"pair\">" +
                    picture + "</div></figure>\n";
    }
    return text + tables_html(comparison_tables_of(campaign));
}

std::string only_worst(std::size_t shown, std::size_t of, const char* where = "note") {
    if (shown == of) return {};
    return fmt::format(
        "<p class=\"{}\">The worst {} of {} media; mediarig results --device shows one of the others, "
        "--csv and --json have all.</p>\n",
        where, shown, of);
}

/// Adds the data from which the results of these devices follow; `all`: number of devices in the campaign.
void add_details(Page& page, const store::CampaignView& campaign, std::size_t all) {
    const Figures figures(campaign);
    std::vector<Table> compared = comparisons_of(campaign, figures);
    const std::size_t comparisons = compared.size();
    std::ranges::move(tables_of(campaign, figures), std::back_inserter(compared));
    remove_repeated_caveats(compared);
    const auto behind = compared.begin() + static_cast<std::ptrdiff_t>(comparisons);

    const std::string formats = tables_html({compared.begin(), behind});
    const std::string speed = with_note(
        html::charts_of(speed_charts(campaign, figures)),
        "Lines and marks show the mean of the passes, whiskers their range. Charts of one suite and direction "
        "share one scale. A figure that rests on fewer than 8 operations is in the tables alone.");
    const std::string tables = tables_html({behind, compared.end()});
    // If only folded sections follow that are not printed, the note is not printed either.
    const bool on_paper = !formats.empty() || !speed.empty() || !tables.empty();
    page.say(only_worst(campaign.devices.size(), all, on_paper ? "note" : "on-screen note"));
    page.add("formats", "Formats compared", formats);
    page.add("speed", "Speed", speed);
    page.fold("tables", "Tables", tables, Page::OnPaper::printed);
    page.fold("published", "Published by others", tables_html(published_tables_of(campaign, figures)));
    page.fold("findings", "Findings", html::findings_of(campaign) + html::damage_of(campaign));
    page.fold("limits", "Limits", html::limits_of(campaign));
    page.fold("course", "Latency and rate over time",
              with_note(html::charts_of(detail_charts(campaign, figures)),
                        "Latencies are of all passes together at the smallest block size; whiskers show the range of "
                        "the passes. Percentiles of every cell are under “How each number was made”. A point of a "
                        "rate over time is one second or a group of seconds."));
    page.fold("identity", "Identity", html::identity_of(campaign));
    page.fold("layout", "Before and after", html::layout_of(campaign));
    page.fold("method", "How each number was made", html::method_of(campaign));
}

/// Returns the cards of `devices`, and adds these devices to the summary. The first devices stay loaded for the
/// details.
Result<std::string> cards_html(store::CampaignView& campaign, const std::vector<std::size_t>& devices,
                               const LoadDevice& load, SummaryMaker& summary) {
    std::vector<ReportCard> cards;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        store::DeviceView& device = campaign.devices[devices[i]];
        if (auto loaded = load(device); !loaded) return fail(loaded.error());
        cards.push_back(card_of(campaign, devices[i]));
        summary.add(campaign, devices[i]);
        if (i >= most_detailed) forget(device);
    }
    if (cards.empty()) return "";
    const CardRow shared = take_shared_notes(cards);
    std::string html;
    for (std::size_t i = 0; i < devices.size(); ++i)
        html += html::card_html(campaign.devices[devices[i]].device, cards[i], devices[i]);
    return fmt::format("<div class=\"cards\">{}{}</div>\n{}", html,
                       html::shared_html(shared, cards.size(), campaign.devices.size()),
                       have_spread(cards) ? "<p class=\"note\">" + note_on_figures() + "</p>\n" : "");
}

/// Returns the rates of all media in one drawing for each direction; of many media, the distribution of the rates.
std::string pictures_of(const store::CampaignView& campaign, const ResultSummary& summary) {
    if (campaign.devices.size() <= most_detailed) {
        const std::string figures = summary_figures(summary);
        return figures.empty() ? figures : "<div class=\"charts\">" + figures + "</div>\n";
    }
    return with_note(html::charts_of(lot_charts(Figures::verdict_figures(campaign))),
                     "Each line goes through the means of all media, from the slowest to the fastest: at 50 % half "
                     "of them are slower.");
}

/// For a campaign that compares formats, the comparison comes first, because it matters more than the device.
Result<Page> page_of(store::CampaignView&& campaign, const LoadDevice& load, std::size_t media) {
    const std::size_t devices = campaign.devices.size();
    std::vector<std::size_t> shown = answered(campaign);
    SummaryMaker maker(campaign);
    // For media that could not be identified, the reason is their only record.
    for (std::size_t device = 0; device < devices; ++device) {
        store::DeviceView& view = campaign.devices[device];
        if (view.verdict || !is_placeholder(view.device) || std::ranges::find(shown, device) != shown.end()) continue;
        if (auto loaded = load(view); !loaded) return fail(loaded.error());
        maker.add(campaign, device);
    }
    const auto cards = cards_html(campaign, shown, load, maker);
    if (!cards) return fail(cards.error());
    const ResultSummary summary = maker.finish(media);
    Page page;
    if (!summary.rows.empty())
        page.begin("<section id=\"summary\">" + html::summary_html(summary, shown) + pictures_of(campaign, summary) +
                   html::note_on_summary(summary) + "</section>\n");
    const std::string worst = only_worst(shown.size(), devices);
    shown.resize(std::min(shown.size(), most_detailed));
    const store::CampaignView detailed = only(std::move(campaign), shown);
    page.add("comparison", "Which is faster", comparison_html(detailed));
    page.add("devices", "Devices", worst + *cards);
    add_details(page, detailed, devices);
    return page;
}

} // namespace

Result<std::string> render_html(store::CampaignView&& outline, const LoadDevice& load, const PageOptions& options) {
    const std::string id = html_escaped(outline.campaign.id);
    const std::string name = outline.campaign.name.empty() ? id : html_escaped(outline.campaign.name);
    const std::string head = html::head_of(outline, options.made, options.media);
    const std::string station = html::station_of(outline.campaign);
    const auto page = page_of(std::move(outline), load, options.media);
    if (!page) return fail(page.error());
    return html::document(
        name + " – mediarig report",
        head + page->text() + "<footer>Campaign " + id + ", " + station +
            ". Rates are decimal: 1 MB/s = 10<sup>6</sup> bytes per second. Block sizes are binary: 1 "
            "KB = 2<sup>10</sup> bytes. The page needs no network and no script.</footer>\n");
}

} // namespace mediarig::report

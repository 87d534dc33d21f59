// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/base/time_text.hpp"
#include "host/report/cards/lot.hpp"
#include "host/report/output/html/html_table.hpp"
#include "host/report/output/html/parts.hpp"
#include "host/report/text/display_text.hpp"
#include "host/report/text/metric_text.hpp"
#include "host/store/record_json.hpp"

namespace mediarig::report::html {
namespace {

using measure::Grade;

struct GradeStyle {
    Grade grade;
    const char* css;
    const char* sign; ///< same meaning as the colour
};
constexpr std::array grade_looks{
    GradeStyle{Grade::pass, "pass", "✓"},
    GradeStyle{Grade::marginal, "marginal", "≈"},
    GradeStyle{Grade::fail, "fail", "✗"},
    GradeStyle{Grade::fake, "fake", "⚠"},
    GradeStyle{Grade::formatted, "inconclusive", "○"},
    GradeStyle{Grade::measured, "inconclusive", "○"},
    GradeStyle{Grade::sampled, "inconclusive", "◐"},
    GradeStyle{Grade::probed, "inconclusive", "◐"},
    GradeStyle{Grade::inconclusive, "inconclusive", "?"},
};

const GradeStyle& look_of(Grade grade) {
    for (const GradeStyle& look : grade_looks)
        if (look.grade == grade) return look;
    return grade_looks.back();
}

/// Returns an empty text if the summary shows all media on one screen.
std::string tally(const store::CampaignView& view, std::size_t not_begun) {
    if (view.devices.size() <= most_detailed && not_begun == 0) return {};
    std::string text;
    for (const GradeCount& count : counts_of(view))
        text += fmt::format("<li>{} <b>{}</b></li>", badge(count.grade), count.devices);
    if (not_begun > 0)
        text += fmt::format("<li><span class=\"badge inconclusive\">not begun</span> <b>{}</b></li>", not_begun);
    return "<ul class=\"tally\">" + text + "</ul>";
}

std::string bounds_of(const measure::Limit& limit) {
    std::string text;
    if (limit.min) text = fmt::format("≥ {:.6g}", *limit.min);
    if (limit.max) text += fmt::format("{}≤ {:.6g}", text.empty() ? "" : ", ", *limit.max);
    return text;
}

} // namespace

std::string badge(std::optional<Grade> grade) {
    if (!grade) return "<span class=\"badge inconclusive\">no verdict</span>";
    const GradeStyle& look = look_of(*grade);
    return fmt::format("<span class=\"badge {}\"><span aria-hidden=\"true\">{}</span> {}</span>", look.css, look.sign,
                       measure::name_of(*grade));
}

std::string head_of(const store::CampaignView& view, store::TimePoint made, std::size_t planned) {
    const store::CampaignRecord& campaign = view.campaign;
    const std::size_t devices = view.devices.size(), media = std::max(planned, devices);
    const std::string counted = media > devices ? fmt::format("{} of {} media begun", devices, media)
                                                : fmt::format("{} {}", devices, devices == 1 ? "medium" : "media");
    const std::string state_at =
        campaign.state == store::CampaignState::running
            ? fmt::format("<p><strong>Made at {}, while the campaign was running.</strong></p>", local_time_text(made))
            : "";
    std::string when = local_time_text(campaign.started);
    if (campaign.ended && *campaign.ended >= campaign.started)
        when += ", " + duration_text(*campaign.ended - campaign.started);
    if (const std::string retest = retest_text(campaign); !retest.empty()) when += " · " + html_escaped(retest);
    return fmt::format(
        "<header><p class=\"kicker\">mediarig report</p><h1>{}</h1>"
        "<p class=\"muted\">{} · {} · {}</p>{}{}</header>\n",
        html_escaped(campaign.name.empty() ? campaign.id : campaign.name), when, store::name_of(campaign.state),
        counted, state_at, tally(view, media - devices));
}

std::string station_of(const store::CampaignRecord& campaign) {
    const store::Origin& origin = campaign.origin;
    return fmt::format("{} · {} · {} · mediarig {} · agent {}", html_escaped(origin.host_name),
                       html_escaped(origin.cpu), html_escaped(origin.kernel), html_escaped(origin.mediarig_version),
                       html_escaped(origin.agent));
}

namespace {

/// Prevents line breaks after hyphens, which browsers also insert within "--certificate".
std::string with_whole_options(const std::string& line) {
    std::string html;
    for (std::size_t begin = 0; begin < line.size();) {
        const std::size_t end = std::min(line.find(' ', begin), line.size());
        const std::string word = html_escaped(line.substr(begin, end - begin));
        html += word.starts_with("--") ? "<span class=\"option\">" + word + "</span>" : word;
        if (end < line.size()) html += ' ';
        begin = end + 1;
    }
    return html;
}

std::string row_html(const CardRow& row) {
    std::string lines;
    // The signs of a map need equal widths.
    const bool map = row.title == map_title;
    for (const std::string& line : row.lines)
        lines += "<dd>" + (map ? "<code>" + html_escaped(line) + "</code>" : with_whole_options(line)) + "</dd>";
    return fmt::format("<dt>{}</dt>{}", html_escaped(row.title), lines);
}

} // namespace

std::string shared_html(const CardRow& row, std::size_t cards, std::size_t media) {
    if (row.lines.empty()) return {};
    return fmt::format("<section class=\"card shared\"><h3>{}</h3><dl>{}</dl></section>\n", shared_title(cards, media),
                       row_html(row));
}

std::string card_html(const store::DeviceRecord& device, const ReportCard& card, std::size_t index) {
    std::string rows;
    for (const CardRow& row : card.rows) rows += row_html(row);
    const std::string lot =
        device.lot.empty() ? "" : fmt::format("<p class=\"muted\">lot {}</p>", html_escaped(device.lot));
    return fmt::format(
        "<article class=\"card {}\" id=\"{}\"><h3>{} {}</h3><p class=\"verdict\">{}</p>{}<dl>{}</dl></article>\n",
        card.grade ? look_of(*card.grade).css : "inconclusive", card_id(index), badge(card.grade),
        html_escaped(card.title), html_escaped(card.verdict), lot, rows);
}

std::string limits_of(const store::CampaignView& view) {
    ListTable table({{"Device", ColumnKind::head},
                     {"Suite", ColumnKind::text},
                     {"Metric", ColumnKind::text},
                     {"Format", ColumnKind::text},
                     {"Limit"},
                     {"Measured"},
                     {"Guard"},
                     {"Grade", ColumnKind::text}});
    for (const store::DeviceView& device : view.devices) {
        if (!device.verdict) continue;
        for (const measure::LimitResult& result : device.verdict->limits)
            table.add({html_escaped(device.device.name), html_escaped(result.limit.suite),
                       "<code>" + html_escaped(result.limit.metric) + "</code>",
                       html_escaped(format_title(result.format)), bounds_of(result.limit),
                       result.values.empty() ? "–" : html_escaped(short_figure_text(result.values)),
                       fmt::format("{:g}%", result.limit.guard_percent), badge(result.grade)});
    }
    const std::string text = table.html();
    if (text.empty()) return {};
    return text +
           "<p class=\"note\">A value closer to its limit than the guard, or than half the 95 % confidence interval of "
           "its mean (Student’s t), is MARGINAL, unless every pass is beyond the limit by a factor of 1.5.</p>\n";
}

} // namespace mediarig::report::html

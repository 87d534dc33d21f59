// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/cards/summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/report/output/html/html_table.hpp"
#include "host/report/output/html/parts.hpp"
#include "host/report/text/display_text.hpp"

namespace mediarig::report::html {
namespace {

/// The format and the figure, for a cell without a head above it.
std::string full_title(const ResultSummary& summary, std::size_t format, const SummaryColumn& column) {
    return html_escaped(
        fmt::format("{}, {}, {}", format_title(summary.formats[format]), text_for(column.access), column.unit));
}

std::string heads_of(const ResultSummary& summary) {
    std::string blocks = "<td role=\"cell\" colspan=\"5\"></td>", heads;
    for (const auto& [title, css] : {std::pair{"Verdict", "text"}, std::pair{"Name", "text"}, std::pair{"Size", ""},
                                     std::pair{"Genuine", "text"}, std::pair{"Warnings", ""}})
        heads += column_head_html(title, css);
    for (const std::string& format : summary.formats) {
        blocks += column_head_html(html_escaped(format_title(format)), "first", summary.columns.size());
        for (std::size_t i = 0; i < summary.columns.size(); ++i)
            heads += column_head_html(column_title(summary.columns[i].access), i == 0 ? "first" : "");
    }
    return (summary.formats.empty() ? "" : "<tr role=\"row\">" + blocks + "</tr>") + "<tr role=\"row\">" + heads +
           "</tr>";
}

std::string figure_html(const SummaryFigure& figure) {
    return figure.best ? fmt::format("<b>{}*</b>", text_of(figure)) : text_of(figure);
}

std::string row_of(const ResultSummary& summary, const SummaryRow& row, bool has_card) {
    const std::string name = html_escaped(row.name);
    std::string cells =
        cell_html("Verdict",
                  fmt::format("{} <span class=\"cause\">{}</span>", badge(row.grade), html_escaped(row.cause)),
                  "text verdict") +
        row_head_html(has_card ? fmt::format("<a href=\"#{}\">{}</a>", card_id(row.device), name) : name) +
        cell_html("Size", row.size.empty() ? "–" : row.size, "") +
        cell_html("Genuine", row.genuine.empty() ? "–" : row.genuine, "text") +
        cell_html("Warnings", row.warnings ? std::to_string(*row.warnings) : "–", "");
    for (std::size_t format = 0; format < summary.formats.size(); ++format)
        for (std::size_t column = 0; column < summary.columns.size(); ++column)
            cells += cell_html(full_title(summary, format, summary.columns[column]),
                               figure_html(row.figures[format][column]), column == 0 ? "first" : "");
    return "<tr role=\"row\">" + cells + "</tr>\n";
}

/// Returns "S.Read, S.Write: MB/s; R.Read, R.Write: ops/s".
std::string units_of(const std::vector<SummaryColumn>& columns) {
    std::string text;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        text += fmt::format("{}{}",
                            i == 0                                   ? ""
                            : columns[i - 1].unit == columns[i].unit ? ", "
                                                                     : "; ",
                            column_title(columns[i].access));
        if (i + 1 == columns.size() || columns[i + 1].unit != columns[i].unit) text += ": " + columns[i].unit;
    }
    return text;
}

} // namespace

std::string card_id(std::size_t device) {
    return fmt::format("medium-{}", device);
}

std::string summary_html(const ResultSummary& summary, const std::vector<std::size_t>& with_cards) {
    if (summary.rows.empty()) return {};
    std::string rows;
    for (const SummaryRow& row : summary.rows)
        rows += row_of(summary, row, std::ranges::find(with_cards, row.device) != with_cards.end());
    std::string text = "<div class=\"summary\">" + table_html(heads_of(summary), rows) + "</div>\n";
    if (!summary.ranking.empty()) text += "<p class=\"ranking\">" + html_escaped(summary.ranking) + "</p>\n";
    return text;
}

std::string note_on_summary(const ResultSummary& summary) {
    if (summary.source.empty()) return {};
    const bool marked = std::ranges::any_of(summary.rows, [](const SummaryRow& row) {
        return std::ranges::any_of(row.figures, [](const auto& format) {
            return std::ranges::any_of(format, [](const SummaryFigure& figure) { return figure.best; });
        });
    });
    return fmt::format("<p class=\"note\">{}. {}.{}</p>\n", html_escaped(summary.source), units_of(summary.columns),
                       marked ? " *: fastest format of the medium." : "");
}

} // namespace mediarig::report::html

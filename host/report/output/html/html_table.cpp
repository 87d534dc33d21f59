// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/output/html/html_table.hpp"

#include <fmt/format.h>

#include "host/report/text/display_text.hpp"

namespace mediarig::report::html {
namespace {

std::string_view css_of(ColumnKind kind) {
    switch (kind) {
        case ColumnKind::number:
            return "";
        case ColumnKind::text:
        case ColumnKind::head:
            return "text";
        case ColumnKind::wide:
            return "text wide";
    }
    return "";
}

std::string class_html(std::string_view css) {
    return css.empty() ? "" : fmt::format(" class=\"{}\"", css);
}

} // namespace

std::string cell_html(std::string_view title, std::string_view content, std::string_view css) {
    return fmt::format("<td role=\"cell\" data-h=\"{}\"{}>{}</td>", title, class_html(css), content);
}

std::string row_head_html(std::string_view content, std::string_view css) {
    return fmt::format("<th role=\"rowheader\" scope=\"row\"{}>{}</th>", class_html(css), content);
}

std::string column_head_html(std::string_view title, std::string_view css, std::size_t columns) {
    const std::string spanned =
        columns == 1 ? "scope=\"col\"" : fmt::format("scope=\"colgroup\" colspan=\"{}\"", columns);
    return fmt::format("<th role=\"columnheader\" {}{}>{}</th>", spanned, class_html(css), title);
}

std::string table_html(std::string_view head, std::string_view body) {
    // A sheet of paper fits more columns only in a smaller font.
    constexpr std::size_t most_columns = 12;
    const std::string_view first_row = body.substr(0, body.find("</tr>"));
    std::size_t columns = 0;
    for (auto at = first_row.find("<td"); at != first_row.npos; at = first_row.find("<td", at + 1)) ++columns;
    return fmt::format(
        "<div class=\"scroll\"><table role=\"table\"{}><thead role=\"rowgroup\">{}</thead>"
        "<tbody role=\"rowgroup\">{}</tbody></table></div>\n",
        class_html(columns > most_columns ? "many" : ""), head, body);
}

void FactList::add(std::string_view name, std::string_view value) {
    if (!value.empty()) items_ += fmt::format("<dt>{}</dt><dd>{}</dd>", html_escaped(name), html_escaped(value));
}

void ListTable::add(const std::vector<std::string>& cells, std::string_view css) {
    rows_ += fmt::format("<tr role=\"row\"{}>", class_html(css));
    for (std::size_t i = 0; i < columns_.size(); ++i)
        rows_ += columns_[i].kind == ColumnKind::head
                     ? row_head_html(cells[i])
                     : cell_html(columns_[i].title, cells[i], css_of(columns_[i].kind));
    rows_ += "</tr>\n";
}

std::string ListTable::html() const {
    if (rows_.empty()) return {};
    std::string head = "<tr role=\"row\">";
    for (const Column& column : columns_) head += column_head_html(column.title, css_of(column.kind));
    return table_html(head + "</tr>", rows_);
}

} // namespace mediarig::report::html

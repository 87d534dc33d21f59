// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <set>

#include "host/report/charts/chart_drawing.hpp"
#include "host/report/output/html/html_table.hpp"
#include "host/report/output/html/parts.hpp"
#include "host/report/text/display_text.hpp"

namespace mediarig::report::html {
namespace {

std::string cell_of(const std::string& title, const TableCell& cell, bool opens_block) {
    std::string text = html_escaped(cell.value);
    if (!cell.spread.empty()) text += fmt::format(" <small>{}</small>", html_escaped(cell.spread));
    return cell_html(title, text, opens_block ? "first" : "");
}

/// The title of a cell that has no head above it.
std::string text_of(const TableBlock& block, std::size_t column) {
    const std::string& title = block.columns[column];
    return block.title.empty() ? title : block.title + ", " + title;
}

/// The blocks of `table` about `device`.
std::string part_of(const Table& table, std::size_t device) {
    std::string titles;
    std::string heads;
    for (const TableBlock& block : table.blocks) {
        if (block.device != device) continue;
        const std::string title = html_escaped(block.title);
        titles += column_head_html(title, "first", block.columns.size());
        for (std::size_t i = 0; i < block.columns.size(); ++i)
            heads += column_head_html(html_escaped(block.columns[i]), i == 0 ? "first" : "");
    }
    std::string rows;
    for (const TableRow& row : table.rows) {
        std::string cells;
        std::size_t cell = 0;
        for (const TableBlock& block : table.blocks)
            for (std::size_t i = 0; i < block.columns.size(); ++i, ++cell)
                if (block.device == device) cells += cell_of(html_escaped(text_of(block, i)), row.cells[cell], i == 0);
        const char* const css = row.kind == RowKind::summary  ? " class=\"summary\""
                                : row.kind == RowKind::detail ? " class=\"detail\""
                                                              : "";
        rows += fmt::format("<tr role=\"row\"{}>{}{}</tr>\n", css, row_head_html(html_escaped(row.label)), cells);
    }
    return table_html("<tr role=\"row\"><td role=\"cell\"></td>" + titles + "</tr><tr role=\"row\">" +
                          column_head_html(html_escaped(table.label_title), "text") + heads + "</tr>",
                      rows);
}

} // namespace

std::string table_of(const Table& table) {
    std::set<std::size_t> devices;
    for (const TableBlock& block : table.blocks) devices.insert(block.device);
    std::string text = fmt::format("<h3>{}</h3>\n", html_escaped(table.title));
    if (!table.caveat.empty()) text += fmt::format("<p class=\"caveat\">{}</p>\n", html_escaped(table.caveat));
    for (const std::size_t device : devices) text += part_of(table, device);
    for (const std::string& note : table.notes) text += fmt::format("<p class=\"note\">{}</p>\n", html_escaped(note));
    return text;
}

std::string charts_of(const std::vector<Chart>& charts) {
    std::string text;
    for (const Chart& chart : charts)
        text += fmt::format("<figure><figcaption>{}</figcaption>{}</figure>\n", html_escaped(chart.title),
                            chart_svg(chart));
    return text.empty() ? text : "<div class=\"charts\">" + text + "</div>\n";
}

} // namespace mediarig::report::html

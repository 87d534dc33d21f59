// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <set>

#include "host/report/html/parts.hpp"
#include "host/report/text.hpp"

namespace mediarig::report::html {
namespace {

std::string cell_html(const TableCell& cell, bool opens_block) {
    std::string spread;
    if (!cell.spread.empty()) spread = fmt::format(" <small>{}</small>", html_escaped(cell.spread));
    return fmt::format("<td{}>{}{}</td>", opens_block ? " class=\"first\"" : "", html_escaped(cell.value), spread);
}

/// The blocks of `table` that are about `device`.
std::string part_of(const Table& table, std::size_t device) {
    std::string titles;
    std::string heads;
    for (const TableBlock& block : table.blocks) {
        if (block.device != device) continue;
        titles += fmt::format("<th scope=\"colgroup\" colspan=\"{}\" class=\"first\">{}</th>", block.columns.size(),
                              html_escaped(block.title));
        for (std::size_t i = 0; i < block.columns.size(); ++i)
            heads += fmt::format("<th scope=\"col\"{}>{}</th>", i == 0 ? " class=\"first\"" : "",
                                 html_escaped(block.columns[i]));
    }
    std::string rows;
    for (const TableRow& row : table.rows) {
        std::string cells;
        std::size_t cell = 0;
        for (const TableBlock& block : table.blocks)
            for (std::size_t i = 0; i < block.columns.size(); ++i, ++cell)
                if (block.device == device) cells += cell_html(row.cells[cell], i == 0);
        const char* const css = row.kind == RowKind::summary  ? " class=\"summary\""
                                : row.kind == RowKind::detail ? " class=\"detail\""
                                                              : "";
        rows += fmt::format("<tr{}><th scope=\"row\">{}</th>{}</tr>\n", css, html_escaped(row.label), cells);
    }
    return fmt::format(
        "<div class=\"scroll\"><table><thead><tr><td></td>{}</tr><tr><th scope=\"col\">{}</th>{}</tr></thead>"
        "<tbody>{}</tbody></table></div>\n",
        titles, html_escaped(table.label_title), heads, rows);
}

} // namespace

std::string table_of(const Table& table) {
    std::set<std::size_t> devices;
    for (const TableBlock& block : table.blocks) devices.insert(block.device);
    std::string text = fmt::format("<h3>{}</h3>\n", html_escaped(table.title));
    if (!table.caution.empty()) text += fmt::format("<p class=\"caution\">{}</p>\n", html_escaped(table.caution));
    for (const std::size_t device : devices) text += part_of(table, device);
    for (const std::string& note : table.notes) text += fmt::format("<p class=\"note\">{}</p>\n", html_escaped(note));
    return text;
}

std::string charts_of(const std::vector<Chart>& charts, const std::string& section) {
    std::string text;
    for (const Chart& chart : charts) {
        if (chart.section != section) continue;
        const std::string title = html_escaped(chart.title);
        text += fmt::format(
            "<figure><figcaption>{0} <small>{1}</small></figcaption>"
            "<div class=\"canvas\"><canvas id=\"{2}\" role=\"img\" aria-label=\"{0}, {1}\"></canvas></div></figure>\n",
            title, html_escaped(chart.y_title), chart.id);
    }
    return text.empty() ? text : "<div class=\"charts\">" + text + "</div>\n";
}

} // namespace mediarig::report::html

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/published_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/published/tables.hpp"

namespace mediarig::report {
namespace {

std::string printed(double value, int decimals) {
    if (std::isnan(value)) return "–";
    return std::isinf(value) ? "+++++" : fmt::format("{:.{}f}", value, decimals);
}

/// As many as the table prints; none in a column of a unit of its own that counts whole things.
int decimals_of(const published::Table& known, std::size_t column) {
    const bool whole = known.unit.empty() && std::ranges::all_of(known.rows, [&](const published::Row& row) {
                           const double value = row.values[column];
                           return !std::isfinite(value) || value == std::floor(value);
                       });
    return whole ? 0 : known.decimals;
}

Table table_of(const published::Table& known) {
    // Two tables may be of one tool and device: the name tells them apart, and 'mediarig published show' takes it.
    Table table{.title = fmt::format("Published: {} ({}): {}", known.tool, known.name, known.device),
                .caution = {},
                .label_title = std::string(known.unit),
                .notes = {fmt::format("Source: {}. Host: {}.", known.source, known.host),
                          fmt::format("Before it is compared: {}.", known.differs)},
                .blocks = {{.title = std::string(known.format), .device = 0, .columns = {}}},
                .rows = {}};
    if (known.scores[0] > 0)
        table.notes.insert(table.notes.begin(),
                           fmt::format("Score for writes {:.0f}, for reads {:.0f}.", known.scores[0], known.scores[1]));
    for (const std::string_view column : known.columns) table.blocks[0].columns.emplace_back(column);
    for (const published::Row& row : known.rows) {
        TableRow drawn{.label = std::string(row.label), .kind = RowKind::body, .cells = {}};
        for (std::size_t i = 0; i < known.columns.size(); ++i)
            drawn.cells.push_back({printed(row.values[i], decimals_of(known, i)), {}});
        table.rows.push_back(std::move(drawn));
    }
    return table;
}

} // namespace

std::vector<Table> published_tables_of(const Figures& figures) {
    const std::vector<std::string>& suites = figures.suites();
    std::vector<Table> tables;
    for (const published::Table* known : published::all_tables())
        if (std::ranges::find(suites, known->suite) != suites.end()) tables.push_back(table_of(*known));
    return tables;
}

} // namespace mediarig::report

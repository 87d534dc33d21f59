// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/suite_views.hpp"

#include "host/measure/statistics.hpp"

namespace mediarig::report {

std::vector<Table> views_of(const Figures& figures, const std::string& suite) {
    std::vector<Table> tables;
    const suites::Suite* const known = suites::find_suite(suite);
    if (known == nullptr || known->view == nullptr) return tables;
    for (const Subject& subject : figures.subjects(suite)) {
        auto view = known->view(
            [&](const suites::Metric& metric) { return measure::mean(figures.passes(subject, suite, metric)); });
        if (!view) continue;
        Table table{.title = std::move(view->title),
                    .caution = {},
                    .label_title = "",
                    .notes = std::move(view->notes),
                    .blocks = {{.title = subject.title, .device = subject.device, .columns = std::move(view->columns)}},
                    .rows = {}};
        for (suites::View::Row& row : view->rows) {
            TableRow drawn{.label = std::move(row.label), .kind = RowKind::body, .cells = {}};
            for (std::string& cell : row.cells) drawn.cells.push_back({std::move(cell), {}});
            table.rows.push_back(std::move(drawn));
        }
        tables.push_back(std::move(table));
    }
    return tables;
}

} // namespace mediarig::report

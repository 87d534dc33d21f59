// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/suite_views.hpp"

#include <algorithm>
#include <span>

#include "host/measure/statistics.hpp"

namespace mediarig::report {

namespace {

std::vector<std::span<const workload::CellResult>> passes_of(const store::CampaignView& campaign,
                                                             const Subject& subject, const std::string& suite) {
    std::vector<std::span<const workload::CellResult>> passes;
    for (const store::PassView& pass : campaign.devices[subject.device].passes)
        if (pass.pass.job.suite == suite && pass.pass.format == subject.format) passes.emplace_back(pass.cells);
    return passes;
}

} // namespace

const workload::JobSpec* job_of(const store::CampaignView& campaign, const Subject& subject, const std::string& suite) {
    for (const store::PassView& pass : campaign.devices[subject.device].passes)
        if (pass.pass.job.suite == suite && pass.pass.format == subject.format) return &pass.pass.job;
    return nullptr;
}

bool served_by_process(const store::DeviceView& device, const std::string& format) {
    return std::ranges::any_of(device.passes, [&](const store::PassView& pass) {
        if (pass.pass.format != format) return false;
        if (pass.pass.mounted) return pass.pass.mounted->driver.ends_with("fuse");
        // Of a folder that was given, nothing else is told as a limit of its driver; each mount says it once.
        return std::ranges::any_of(pass.findings, [](const auto& found) {
            return found.cell.empty() && found.finding.kind == measure::FindingKind::driver_limit;
        });
    });
}

std::vector<Table> views_of(const store::CampaignView& campaign, const Figures& figures, const std::string& suite) {
    std::vector<Table> tables;
    const suites::Suite* const known = suites::find_suite(suite);
    if (known == nullptr || known->view == nullptr) return tables;
    for (const Subject& subject : figures.subjects(suite)) {
        auto view = known->view(
            {.value_of =
                 [&](const suites::Metric& metric) { return measure::mean(figures.passes(subject, suite, metric)); },
             .passes = passes_of(campaign, subject, suite),
             .job = job_of(campaign, subject, suite),
             .served_by_process = served_by_process(campaign.devices[subject.device], subject.format)});
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

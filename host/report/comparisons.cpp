// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "host/measure/statistics.hpp"
#include "host/report/caution.hpp"
#include "host/report/display_text.hpp"
#include "host/report/tables.hpp"

namespace mediarig::report {
namespace {

/// What formats are compared by: one number an operation, not one a cell.
struct Compared {
    std::string_view suite;
    const suites::Headline* headline;
};
std::vector<Compared> compared() {
    std::vector<Compared> all;
    for (const suites::Suite* suite : suites::all_suites())
        for (const suites::Headline& headline : suite->headlines) all.push_back({suite->name, &headline});
    return all;
}

/// How far `passes` are from `base`, and whether their ranges leave any doubt.
TableCell difference(const std::vector<double>& base, const std::vector<double>& passes) {
    const auto reference = measure::mean(base);
    const auto value = measure::mean(passes);
    if (!reference || !value || *reference == 0) return {"–", {}};
    const std::string percent = fmt::format("{:+.1f}%", (*value / *reference - 1) * 100);
    if (base.size() < 2 || passes.size() < 2) return {percent, "one pass"};
    const auto a = *measure::spread(base);
    const auto b = *measure::spread(passes);
    const bool overlap = a.least <= b.most && b.least <= a.most;
    return {percent, overlap ? "within spread" : ""};
}

std::vector<Subject> formats_of(const Figures& figures, std::size_t device) {
    std::vector<Subject> result;
    for (const Compared& each : compared())
        for (const Subject& subject : figures.subjects(each.suite)) {
            if (subject.device != device || figures.passes(subject, each.suite, each.headline->metric).empty())
                continue;
            if (std::find(result.begin(), result.end(), subject) == result.end()) result.push_back(subject);
        }
    return result;
}

} // namespace

std::vector<Table> comparisons_of(const store::CampaignView& campaign, const Figures& figures) {
    std::vector<Table> tables;
    for (std::size_t device = 0; device < campaign.devices.size(); ++device) {
        const std::vector<Subject> formats = formats_of(figures, device);
        if (formats.size() < 2) continue;
        Table table{.title = "Formats compared: " + campaign.devices[device].device.name,
                    .caution = caution_about(campaign, formats),
                    .label_title = "",
                    .notes = {fmt::format("Differences are against {}. “Within spread”: the ranges of the passes "
                                          "overlap, so this campaign shows no difference.",
                                          format_title(formats.front().format))},
                    .blocks = {},
                    .rows = {}};
        for (const Subject& format : formats) {
            TableBlock block{.title = format_title(format.format), .device = device, .columns = {"value"}};
            if (!(format == formats.front())) block.columns.emplace_back("difference");
            table.blocks.push_back(std::move(block));
        }
        for (const auto& [suite, headline] : compared()) {
            TableRow row{.label = std::string(headline->title), .kind = RowKind::body, .cells = {}};
            bool any = false;
            const auto& base = figures.passes(formats.front(), suite, headline->metric);
            for (const Subject& format : formats) {
                const auto& passes = figures.passes(format, suite, headline->metric);
                any = any || !passes.empty();
                row.cells.push_back(figure_text(passes, headline->decimals));
                if (!(format == formats.front())) row.cells.push_back(difference(base, passes));
            }
            if (any) table.rows.push_back(std::move(row));
        }
        tables.push_back(std::move(table));
    }
    return tables;
}

} // namespace mediarig::report

// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "host/measure/statistics.hpp"
#include "host/report/figures/caveats.hpp"
#include "host/report/tables/comparison_record.hpp"
#include "host/report/tables/tables.hpp"
#include "host/report/text/display_text.hpp"
#include "host/report/text/metric_text.hpp"

namespace mediarig::report {
namespace {

using workload::Access;

/// One criterion by which formats are compared.
struct Criterion {
    std::string suite;
    suites::Metric metric;
    std::string title;
    int decimals{};
};

bool two_have_it(const Figures& figures, const std::vector<Subject>& formats, const Criterion& row) {
    return std::ranges::count_if(formats, [&](const Subject& format) {
               return !figures.passes(format, row.suite, row.metric).empty();
           }) > 1;
}

/// Returns one row per operation if the suite ran completely; otherwise a row for each of `cells` that two formats have
/// in common. The metrics refer to names in `cells`.
std::vector<Criterion> rows_of(const Figures& figures, const std::string& suite, const std::vector<SweepRow>& cells,
                               const std::vector<Subject>& formats) {
    std::vector<Criterion> rows;
    const auto add = [&](Criterion row) {
        if (two_have_it(figures, formats, row)) rows.push_back(std::move(row));
    };
    if (const suites::Suite* known = suites::find_suite(suite))
        for (const suites::Headline& headline : known->headlines)
            add({suite, headline.metric, std::string(headline.title), headline.decimals});
    if (!rows.empty()) return rows;
    for (const SweepRow& row : cells)
        for (const Access access : figures.accesses(suite, row.table)) {
            const suites::Metric rate{
                .table = row.table, .access = access, .block = row.block, .value = suites::Value::mb_per_s};
            const std::string block = row.block == 0_B ? "" : " " + block_title(row.block);
            add({suite, rate, fmt::format("{}{}, {}", text_for(access), block, unit_of(rate.value)), 3});
        }
    return rows;
}

/// Returns the difference of `passes` from `base`, and whether their ranges overlap. One pass is not sufficient for a
/// difference.
TableCell difference(const std::vector<double>& base, const std::vector<double>& passes) {
    const auto reference = measure::mean(base);
    const auto value = measure::mean(passes);
    if (!reference || !value || *reference == 0) return {"–", {}};
    if (base.size() < 2 || passes.size() < 2) return {"–", "one pass"};
    const auto a = *measure::spread(base);
    const auto b = *measure::spread(passes);
    if (a.least <= b.most && b.least <= a.most) return {"–", "no difference seen"};
    return {fmt::format("{:+.1f}%", (*value / *reference - 1) * 100), {}};
}

std::vector<Subject> formats_of(const Figures& figures, std::size_t device) {
    std::vector<Subject> result;
    for (const std::string& suite : figures.suites())
        for (const Subject& subject : figures.subjects(suite))
            if (subject.device == device && std::ranges::find(result, subject) == result.end())
                result.push_back(subject);
    return result;
}

} // namespace

std::vector<Table> comparisons_of(const store::CampaignView& campaign, const Figures& figures) {
    // The report of a campaign that compares formats contains the result of that comparison instead.
    if (comparison_of(campaign)) return {};
    std::vector<std::vector<SweepRow>> cells;
    for (const std::string& suite : figures.suites()) cells.push_back(figures.rows(suite));
    std::vector<Table> tables;
    for (std::size_t device = 0; device < campaign.devices.size(); ++device) {
        std::vector<Subject> formats = formats_of(figures, device);
        std::vector<Criterion> rows;
        for (std::size_t suite = 0; suite < cells.size(); ++suite)
            std::ranges::move(rows_of(figures, figures.suites()[suite], cells[suite], formats),
                              std::back_inserter(rows));
        std::erase_if(formats, [&](const Subject& format) {
            return std::ranges::all_of(
                rows, [&](const Criterion& row) { return figures.passes(format, row.suite, row.metric).empty(); });
        });
        if (formats.size() < 2) continue;
        Table table{.title = "Formats compared: " + campaign.devices[device].device.name,
                    .caveat = caveat_about(campaign, formats)};
        for (const Subject& format : formats) {
            TableBlock block{.title = format_title(format.format), .device = device, .columns = {"value"}};
            if (!(format == formats.front())) block.columns.emplace_back("difference");
            table.blocks.push_back(std::move(block));
        }
        for (const Criterion& each : rows) {
            TableRow row{.label = each.title, .kind = RowKind::body};
            const auto& base = figures.passes(formats.front(), each.suite, each.metric);
            for (const Subject& format : formats) {
                const auto& passes = figures.passes(format, each.suite, each.metric);
                row.cells.push_back(figure_text(passes, each.decimals));
                if (!(format == formats.front())) row.cells.push_back(difference(base, passes));
            }
            table.rows.push_back(std::move(row));
        }
        if (tables.empty())
            table.notes.emplace_back(
                "Differences are against the first format. “No difference seen”: the ranges of "
                "the passes overlap.");
        tables.push_back(std::move(table));
    }
    return tables;
}

} // namespace mediarig::report

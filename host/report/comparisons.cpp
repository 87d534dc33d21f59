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
struct Measure {
    const char* suite;
    const char* metric;
    const char* title;
    int decimals;
};
constexpr Measure measures[] = {
    {"quickbench", "standard.seq_read.average_mb_per_s", "S.Read average, MB/s", 3},
    {"quickbench", "standard.seq_write.average_mb_per_s", "S.Write average, MB/s", 3},
    {"quickbench", "standard.random_read.average_mb_per_s", "R.Read average, MB/s", 3},
    {"quickbench", "standard.random_write.average_mb_per_s", "R.Write average, MB/s", 3},
    {"disktester", "seq_write.1024KB.mb_per_s", "sequential write 1024 KB, MB/s", 1},
    {"disktester", "seq_read.1024KB.mb_per_s", "sequential read 1024 KB, MB/s", 1},
    {"disktester", "iops.random_write.ops_per_s", "random write, ops/s", 0},
    {"disktester", "iops.random_read.ops_per_s", "random read, ops/s", 0},
};

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
    for (const Measure& measure : measures)
        for (const Subject& subject : figures.subjects(measure.suite)) {
            if (subject.device != device || figures.passes(subject, measure.suite, measure.metric).empty()) continue;
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
        for (const Measure& measure : measures) {
            TableRow row{.label = measure.title, .kind = RowKind::body, .cells = {}};
            bool any = false;
            const auto& base = figures.passes(formats.front(), measure.suite, measure.metric);
            for (const Subject& format : formats) {
                const auto& passes = figures.passes(format, measure.suite, measure.metric);
                any = any || !passes.empty();
                row.cells.push_back(figure_text(passes, measure.decimals));
                if (!(format == formats.front())) row.cells.push_back(difference(base, passes));
            }
            if (any) table.rows.push_back(std::move(row));
        }
        tables.push_back(std::move(table));
    }
    return tables;
}

} // namespace mediarig::report

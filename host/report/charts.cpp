// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "host/measure/statistics.hpp"
#include "host/metrics/metrics.hpp"
#include "host/report/display_text.hpp"
#include "host/report/text.hpp"
#include "host/workload/names.hpp"

namespace mediarig::report {
namespace {

using workload::Access;
using workload::CellResult;

constexpr std::size_t most_visible = 8;

std::string sentence(std::string_view words) {
    std::string text(words);
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

/// In the order in which they ran, the raw device last: lines of file systems are what people compare.
std::vector<std::string> formats_of(const store::CampaignView& campaign) {
    std::vector<std::string> formats;
    for (const store::DeviceView& device : campaign.devices)
        for (const store::PassView& pass : device.passes)
            if (std::find(formats.begin(), formats.end(), pass.pass.format) == formats.end())
                formats.push_back(pass.pass.format);
    std::stable_partition(formats.begin(), formats.end(), [](const std::string& format) { return format != "raw"; });
    return formats;
}

/// Several devices: a colour each, a line style per format. One device: a colour and a line style per format.
ChartSeries series_for(const store::CampaignView& campaign, const Subject& subject, std::size_t position) {
    const std::vector<std::string> formats = formats_of(campaign);
    const auto format =
        static_cast<std::size_t>(std::find(formats.begin(), formats.end(), subject.format) - formats.begin());
    return {.label = subject.title,
            .colour = campaign.devices.size() > 1 ? subject.device : format,
            .dash = format,
            .hidden = position >= most_visible,
            .points = {}};
}

ChartPoint point_of(double x, const std::vector<double>& passes) {
    const auto spread = *measure::spread(passes);
    return {.x = x, .y = *measure::mean(passes), .low = spread.least, .high = spread.most};
}

void add_sweeps(const store::CampaignView& campaign, const Figures& figures, const std::string& suite,
                std::vector<Chart>& charts) {
    for (const Access access :
         {Access::sequential_read, Access::sequential_write, Access::random_read, Access::random_write}) {
        Chart chart{.id = fmt::format("sweep-{}-{}", suite, workload::name_of(access)),
                    .section = "sweep",
                    .title = sentence(text_for(access)),
                    .kind = ChartKind::sweep,
                    .y_title = "MB/s",
                    .categories = {},
                    .series = {}};
        for (const Subject& subject : figures.subjects(suite)) {
            ChartSeries series = series_for(campaign, subject, chart.series.size());
            for (const SweepRow& row : figures.rows(suite)) {
                if (suites::shape_of(row.table) != suites::Shape::block_sizes) continue;
                const auto& passes = figures.passes(
                    subject, suite,
                    {.table = row.table, .access = access, .block = row.block, .value = suites::Value::mb_per_s});
                if (!passes.empty()) series.points.push_back(point_of(static_cast<double>(row.block.count), passes));
            }
            std::sort(series.points.begin(), series.points.end(),
                      [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
            if (!series.points.empty()) chart.series.push_back(std::move(series));
        }
        if (!chart.series.empty()) charts.push_back(std::move(chart));
    }
}

void add_bars(const store::CampaignView& campaign, const Figures& figures, const suites::Suite& suite,
              const suites::BarChart& bars, std::vector<Chart>& charts) {
    Chart chart{.id = std::string(bars.id),
                .section = "formats",
                .title = std::string(bars.title),
                .kind = ChartKind::bars,
                .y_title = std::string(bars.unit),
                .categories = {},
                .series = {}};
    std::vector<suites::Bar> used;
    for (const suites::Bar& bar : bars.bars)
        for (const Subject& subject : figures.subjects(suite.name))
            if (!figures.passes(subject, suite.name, bar.metric).empty()) {
                used.push_back(bar);
                break;
            }
    for (const suites::Bar& bar : used) chart.categories.emplace_back(bar.title);
    for (const Subject& subject : figures.subjects(suite.name)) {
        ChartSeries series = series_for(campaign, subject, chart.series.size());
        for (std::size_t i = 0; i < used.size(); ++i) {
            const auto& passes = figures.passes(subject, suite.name, used[i].metric);
            if (!passes.empty()) series.points.push_back(point_of(static_cast<double>(i), passes));
        }
        if (!series.points.empty()) chart.series.push_back(std::move(series));
    }
    if (!chart.series.empty()) charts.push_back(std::move(chart));
}

/// The cells of one subject that share table, access and block: one a pass.
std::vector<const CellResult*> cells_of(const store::CampaignView& campaign, const Subject& subject,
                                        const std::string& suite, const SweepRow& row, Access access) {
    std::vector<const CellResult*> cells;
    for (const store::PassView& pass : campaign.devices[subject.device].passes) {
        if (pass.pass.job.suite != suite || pass.pass.format != subject.format) continue;
        for (const CellResult& cell : pass.cells)
            if (cell.cell.table == row.table && cell.cell.block == row.block && cell.cell.access == access &&
                metrics::counts(cell) && !cell.latency.empty())
                cells.push_back(&cell);
    }
    return cells;
}

std::vector<ChartPoint> latency_points(const std::vector<const CellResult*>& cells) {
    measure::Histogram all;
    for (const CellResult* cell : cells) all.merge(cell->latency);
    std::vector<ChartPoint> points;
    for (std::size_t i = 0; i < std::size(latency_quantiles); ++i) {
        std::vector<double> passes;
        passes.reserve(cells.size());
        for (const CellResult* cell : cells)
            passes.push_back(static_cast<double>(cell->latency.quantile(latency_quantiles[i])->count()));
        ChartPoint point = point_of(static_cast<double>(i), passes);
        point.y = static_cast<double>(all.quantile(latency_quantiles[i])->count());
        points.push_back(point);
    }
    return points;
}

void add_latencies(const store::CampaignView& campaign, const Figures& figures, const std::string& suite,
                   std::vector<Chart>& charts) {
    const suites::Suite* known = suites::find_suite(suite);
    if (known == nullptr) return;
    for (const suites::Table& table : known->tables)
        for (const Access access : figures.accesses(suite, table.name)) {
            if (!table.shows_latencies) break;
            const auto rows = figures.rows(suite);
            const auto row =
                std::find_if(rows.begin(), rows.end(), [&](const SweepRow& r) { return r.table == table.name; });
            Chart chart{.id = fmt::format("latency-{}-{}-{}", suite, table.name, workload::name_of(access)),
                        .section = "latency",
                        .title = fmt::format("{}, {} ({})", sentence(text_for(access)), block_title(row->block),
                                             suite_title(suite)),
                        .kind = ChartKind::latency,
                        .y_title = "logarithmic",
                        .categories = {"p50", "p90", "p99", "p99.9", "max"},
                        .series = {}};
            for (const Subject& subject : figures.subjects(suite)) {
                const auto cells = cells_of(campaign, subject, suite, *row, access);
                if (cells.empty()) continue;
                ChartSeries series = series_for(campaign, subject, chart.series.size());
                series.points = latency_points(cells);
                chart.series.push_back(std::move(series));
            }
            if (!chart.series.empty()) charts.push_back(std::move(chart));
        }
}

std::vector<ChartPoint> time_points(const CellResult& cell) {
    const std::size_t together = (cell.series.size() + most_time_points - 1) / most_time_points;
    std::vector<ChartPoint> points;
    std::chrono::nanoseconds now{};
    std::chrono::nanoseconds first_length{};
    for (std::size_t i = 0; i < cell.series.size(); i += together) {
        Bytes moved;
        std::chrono::nanoseconds length{};
        for (std::size_t k = i; k < std::min(i + together, cell.series.size()); ++k) {
            moved += cell.series[k].moved;
            length += cell.series[k].length;
        }
        if (length.count() <= 0) continue;
        // The rate of a last fraction of a second is mostly noise.
        if (!points.empty() && length * 2 < first_length) break;
        if (points.empty()) first_length = length;
        now += length;
        const double rate = rate_of(moved, length).megabytes_per_second();
        points.push_back({.x = std::chrono::duration<double>(now).count(), .y = rate, .low = rate, .high = rate});
    }
    return points;
}

/// The longest cells of each suite: a rate over three seconds or more has a course.
void add_times(const store::CampaignView& campaign, std::size_t device, const std::string& suite,
               std::vector<Chart>& charts) {
    constexpr std::size_t least_seconds = 3;
    constexpr std::size_t most_series = 6;
    struct Long {
        const store::PassView* pass;
        const CellResult* cell;
    };
    std::vector<Long> cells;
    for (const store::PassView& pass : campaign.devices[device].passes)
        for (const CellResult& cell : pass.cells)
            if (pass.pass.job.suite == suite && cell.series.size() >= least_seconds) cells.push_back({&pass, &cell});
    if (cells.empty()) return;
    std::stable_sort(cells.begin(), cells.end(),
                     [](const Long& a, const Long& b) { return a.cell->elapsed > b.cell->elapsed; });
    cells.resize(std::min(cells.size(), most_series));

    Chart chart{.id = fmt::format("time-{}-{}", device, suite),
                .section = "time",
                .title = fmt::format("{}: {}", campaign.devices[device].device.name, suite_title(suite)),
                .kind = ChartKind::time,
                .y_title = "MB/s",
                .categories = {},
                .series = {}};
    std::vector<std::string> names; // a colour each; the passes of one differ by their dashes
    for (const Long& each : cells) {
        const workload::CellSpec& cell = each.cell->cell;
        const std::string name = fmt::format("{} {} {}", format_title(each.pass->pass.format), text_for(cell.access),
                                             block_title(cell.block));
        const auto place = std::find(names.begin(), names.end(), name);
        const auto colour = static_cast<std::size_t>(place - names.begin());
        if (place == names.end()) names.push_back(name);
        chart.series.push_back({.label = fmt::format("{}, pass {}", name, each.pass->pass.repeat),
                                .colour = colour,
                                .dash = each.pass->pass.repeat - 1,
                                .hidden = false,
                                .points = time_points(*each.cell)});
    }
    charts.push_back(std::move(chart));
}

/// A suite's name comes from a store and may be anything.
bool is_id_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

std::string_view name_of(ChartKind kind) {
    switch (kind) {
        case ChartKind::sweep:
            return "sweep";
        case ChartKind::bars:
            return "bars";
        case ChartKind::latency:
            return "latency";
        case ChartKind::time:
            return "time";
    }
    return "time";
}

} // namespace

std::vector<Chart> charts_of(const store::CampaignView& campaign, const Figures& figures) {
    std::vector<Chart> charts;
    for (const std::string& suite : figures.suites()) add_sweeps(campaign, figures, suite, charts);
    for (const suites::Suite* suite : suites::all_suites())
        for (const suites::BarChart& bars : suite->charts) add_bars(campaign, figures, *suite, bars, charts);
    for (const std::string& suite : figures.suites()) add_latencies(campaign, figures, suite, charts);
    for (std::size_t device = 0; device < campaign.devices.size(); ++device)
        for (const std::string& suite : figures.suites()) add_times(campaign, device, suite, charts);
    for (Chart& chart : charts)
        for (char& c : chart.id)
            if (!is_id_character(c)) c = '-';
    return charts;
}

nlohmann::json to_json(const Chart& chart) {
    nlohmann::json series = nlohmann::json::array();
    for (const ChartSeries& each : chart.series) {
        nlohmann::json points = nlohmann::json::array();
        for (const ChartPoint& point : each.points) points.push_back({point.x, point.y, point.low, point.high});
        series.push_back({{"label", printable(each.label)},
                          {"colour", each.colour},
                          {"dash", each.dash},
                          {"hidden", each.hidden},
                          {"points", std::move(points)}});
    }
    return {{"id", chart.id},
            {"section", chart.section},
            {"title", printable(chart.title)},
            {"kind", name_of(chart.kind)},
            {"y_title", chart.y_title},
            {"categories", chart.categories},
            {"series", std::move(series)}};
}

} // namespace mediarig::report

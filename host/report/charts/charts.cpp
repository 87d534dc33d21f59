// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/charts/charts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/measure/statistics.hpp"
#include "host/report/text/display_text.hpp"
#include "host/report/text/metric_text.hpp"
#include "host/workload/metrics/metrics.hpp"
#include "host/workload/titles.hpp"

namespace mediarig::report {
namespace {

using workload::Access;
using workload::CellResult;

constexpr Access accesses_in_order[] = {Access::sequential_read, Access::random_read, Access::sequential_write,
                                        Access::random_write};

/// Returns the formats in the order in which they ran. The raw device comes last, because readers compare the lines of
/// file systems.
std::vector<std::string> formats_of(const store::CampaignView& campaign) {
    std::vector<std::string> formats;
    for (const store::DeviceView& device : campaign.devices)
        for (const store::PassView& pass : device.passes)
            if (std::find(formats.begin(), formats.end(), pass.pass.format) == formats.end())
                formats.push_back(pass.pass.format);
    std::stable_partition(formats.begin(), formats.end(), [](const std::string& format) { return !is_raw(format); });
    return formats;
}

/// A suite's name comes from a store and may contain any character.
bool is_id_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

void take_in(ValueRange& range, const Chart& chart) {
    for (const ChartSeries& series : chart.series)
        for (const ChartPoint& point : series.points) {
            range.low = range.high == 0 ? point.low : std::min(range.low, point.low);
            range.high = std::max(range.high, point.high);
        }
}

/// Charts of one family are compared with each other, so they share a scale.
void share_scale(std::vector<Chart>& charts, std::size_t first_of_family, const auto& is_family) {
    ValueRange range;
    for (std::size_t i = first_of_family; i < charts.size(); ++i)
        if (is_family(charts[i])) take_in(range, charts[i]);
    for (std::size_t i = first_of_family; i < charts.size(); ++i)
        if (is_family(charts[i])) charts[i].range = range;
}

class ChartMaker {
public:
    ChartMaker(const store::CampaignView& campaign, const Figures& figures)
        : campaign_(campaign), figures_(figures), formats_(formats_of(campaign)) {}

    [[nodiscard]] std::vector<Chart> speed() {
        for (std::size_t device = 0; device < campaign_.devices.size(); ++device)
            for (const std::string& suite : figures_.suites()) {
                add_sweeps(device, suite);
                add_points(device, suite);
            }
        return done();
    }
    [[nodiscard]] std::vector<Chart> details() {
        for (std::size_t device = 0; device < campaign_.devices.size(); ++device)
            for (const std::string& suite : figures_.suites()) {
                add_latencies(device, suite);
                add_times(device, suite);
            }
        return done();
    }

private:
    [[nodiscard]] std::vector<Chart> done() {
        for (std::size_t i = 0; i < families_.size(); ++i)
            if (std::find(families_.begin(), families_.begin() + static_cast<std::ptrdiff_t>(i), families_[i]) ==
                families_.begin() + static_cast<std::ptrdiff_t>(i))
                share_scale(charts_, i, [&](const Chart& chart) {
                    return families_[static_cast<std::size_t>(&chart - charts_.data())] == families_[i];
                });
        for (Chart& chart : charts_)
            for (char& c : chart.id)
                if (!is_id_character(c)) c = '-';
        return std::move(charts_);
    }

    void keep(Chart chart, std::string family) {
        charts_.push_back(std::move(chart));
        families_.push_back(std::move(family));
    }

    [[nodiscard]] std::vector<Subject> subjects(std::size_t device, const std::string& suite) const {
        std::vector<Subject> all = figures_.subjects(suite);
        std::erase_if(all, [&](const Subject& subject) { return subject.device != device; });
        return all;
    }
    [[nodiscard]] std::size_t look_of(const std::string& format) const {
        return static_cast<std::size_t>(std::find(formats_.begin(), formats_.end(), format) - formats_.begin());
    }
    /// Returns "fast, exFAT, APFS: QuickBench, read rate by block size". A title is unique as long as the names of the
    /// media are.
    [[nodiscard]] std::string title_of(std::size_t device, const std::vector<std::string>& formats,
                                       std::string_view quantity) const {
        std::vector<std::string> subject{campaign_.devices[device].device.name};
        for (const std::string& format : formats)
            if (std::string title = format_title(format); std::ranges::find(subject, title) == subject.end())
                subject.push_back(std::move(title));
        return fmt::format("{}: {}", fmt::join(subject, ", "), quantity);
    }

    static ChartPoint point_of(double x, const std::vector<double>& passes, std::string_view unit) {
        const auto spread = *measure::spread(passes);
        return {.x = x,
                .y = *measure::mean(passes),
                .low = spread.least,
                .high = spread.most,
                .words = fmt::format("{} {}", short_figure_text(passes), unit)};
    }

    /// Adds one chart for the lines of one direction, or, if they are too many, a chart for each access. In the title,
    /// the access precedes `quantity`.
    void keep_lines(const Chart& frame, std::vector<std::pair<Access, ChartSeries>> lines, const std::string& family,
                    std::string_view quantity) {
        const bool together = lines.size() <= most_lines;
        const bool two_orders = std::ranges::any_of(lines, [&](const auto& line) {
            return workload::random(line.first) != workload::random(lines.front().first);
        });
        Chart chart;
        Access of_chart{};
        std::vector<std::string> formats;
        const auto finish = [&] {
            if (chart.series.empty()) return;
            std::string_view words = text_for(of_chart);
            if (together && two_orders) words.remove_prefix(words.find(' ') + 1);
            chart.title = title_of(chart.device, formats, fmt::format("{}, {} {}", chart.title, words, quantity));
            keep(chart, family);
        };
        for (auto& [access, line] : lines) {
            if (chart.series.empty() || (!together && access != of_chart) || chart.series.size() == most_lines) {
                finish();
                chart = frame;
                chart.id += fmt::format("-{}-{}", workload::name_of(access), charts_.size());
                of_chart = access;
                formats.clear();
            }
            formats.push_back(formats_[line.look]);
            line.light = together && workload::random(access);
            if (together && two_orders) line.label += workload::random(access) ? ", random" : ", sequential";
            chart.series.push_back(std::move(line));
        }
        finish();
    }

    void add_sweeps(std::size_t device, const std::string& suite) {
        const std::vector<SweepRow> rows = figures_.rows(suite);
        for (const bool writing : {false, true}) {
            std::vector<std::pair<Access, ChartSeries>> lines;
            for (const Access access : accesses_in_order)
                for (const Subject& subject : subjects(device, suite)) {
                    if (workload::writes(access) != writing) continue;
                    ChartSeries series = sweep_of(subject, suite, rows, access);
                    if (!series.points.empty()) lines.emplace_back(access, std::move(series));
                }
            keep_lines({.id = fmt::format("sweep-{}-{}", device, suite),
                        .device = device,
                        .title = suite_title(suite),
                        .kind = ChartKind::sweep,
                        .unit = "MB/s"},
                       std::move(lines), fmt::format("sweep {} {}", suite, writing), "rate by block size");
        }
    }

    [[nodiscard]] ChartSeries sweep_of(const Subject& subject, const std::string& suite,
                                       const std::vector<SweepRow>& rows, Access access) const {
        ChartSeries series{.label = format_title(subject.format), .look = look_of(subject.format)};
        for (const SweepRow& row : rows) {
            if (suites::shape_of(row.table) != suites::Shape::block_sizes) continue;
            if (figures_.has_few_samples(subject, suite, row, access)) continue;
            const auto& passes = figures_.passes(
                subject, suite,
                {.table = row.table, .access = access, .block = row.block, .value = suites::Value::mb_per_s});
            if (!passes.empty())
                series.points.push_back(point_of(static_cast<double>(row.block.count), passes, "MB/s"));
        }
        std::ranges::sort(series.points, {}, &ChartPoint::x);
        return series;
    }

    void add_points(std::size_t device, const std::string& suite) {
        const suites::Suite* known = suites::find_suite(suite);
        if (known == nullptr) return;
        for (const suites::BarChart& bars : known->charts) {
            // The curves of a sweep contain more than its averages.
            const suites::SuiteTable* table = suites::find_table(bars.bars.front().metric.table);
            if (table != nullptr && table->shape == suites::Shape::block_sizes) continue;
            Chart chart{.id = fmt::format("{}-{}", bars.id, device),
                        .device = device,
                        .title = {},
                        .kind = ChartKind::points,
                        .unit = std::string(bars.unit)};
            const std::vector<Subject> formats = subjects(device, suite);
            std::vector<suites::Bar> used;
            for (const suites::Bar& bar : bars.bars)
                if (std::ranges::any_of(formats, [&](const Subject& subject) {
                        return !figures_.passes(subject, suite, bar.metric).empty();
                    }))
                    used.push_back(bar);
            for (const suites::Bar& bar : used) chart.categories.emplace_back(bar.title);
            for (const Subject& subject : formats) {
                ChartSeries series{.label = format_title(subject.format), .look = look_of(subject.format)};
                for (std::size_t i = 0; i < used.size(); ++i)
                    if (const auto& passes = figures_.passes(subject, suite, used[i].metric); !passes.empty())
                        series.points.push_back(point_of(static_cast<double>(i), passes, bars.unit));
                if (!series.points.empty()) chart.series.push_back(std::move(series));
            }
            if (chart.series.empty()) continue;
            std::vector<std::string> shown;
            for (const ChartSeries& series : chart.series) shown.push_back(formats_[series.look]);
            chart.title = title_of(device, shown, fmt::format("{}, {}", bars.title, bars.unit));
            keep(std::move(chart), std::string(bars.id));
        }
    }

    /// Returns the cells of one subject with the same table, access and block: one per pass.
    [[nodiscard]] std::vector<const CellResult*> cells_of(const Subject& subject, const std::string& suite,
                                                          const SweepRow& row, Access access) const {
        std::vector<const CellResult*> cells;
        for (const store::PassView& pass : campaign_.devices[subject.device].passes) {
            if (pass.pass.job.suite != suite || pass.pass.format != subject.format) continue;
            for (const CellResult& cell : pass.cells)
                if (cell.cell.table == row.table && cell.cell.block == row.block && cell.cell.access == access &&
                    metrics::counts(cell) && !cell.latency.empty())
                    cells.push_back(&cell);
        }
        return cells;
    }

    /// The last category, the maximum, is not a percentile.
    static std::vector<std::string> latency_categories() {
        std::vector<std::string> titles;
        for (const measure::Percentile& each : measure::percentiles) titles.emplace_back(each.title);
        titles.emplace_back("max");
        return titles;
    }

    static std::vector<ChartPoint> latency_points(const std::vector<const CellResult*>& cells) {
        measure::Histogram all;
        for (const CellResult* cell : cells) all.merge(cell->latency);
        std::vector<ChartPoint> points;
        for (std::size_t i = 0; i <= measure::percentiles.size(); ++i) {
            const double fraction = i < measure::percentiles.size() ? measure::percentiles[i].fraction : 1.0;
            std::vector<double> passes;
            passes.reserve(cells.size());
            for (const CellResult* cell : cells)
                passes.push_back(static_cast<double>(cell->latency.quantile(fraction)->count()));
            ChartPoint point = point_of(static_cast<double>(i), passes, "");
            const std::chrono::nanoseconds together = *all.quantile(fraction);
            point.y = static_cast<double>(together.count());
            point.words = latency_text(together);
            points.push_back(std::move(point));
        }
        return points;
    }

    void add_latencies(std::size_t device, const std::string& suite) {
        const suites::Suite* known = suites::find_suite(suite);
        if (known == nullptr) return;
        const auto rows = figures_.rows(suite);
        const bool several = std::ranges::count_if(known->tables, &suites::SuiteTable::shows_latencies) > 1;
        for (const suites::SuiteTable& table : known->tables) {
            const auto row = std::ranges::find(rows, table.name, &SweepRow::table);
            if (!table.shows_latencies || row == rows.end()) continue;
            for (const bool writing : {false, true}) {
                std::vector<std::pair<Access, ChartSeries>> lines;
                for (const Access access : accesses_in_order)
                    for (const Subject& subject : subjects(device, suite)) {
                        if (workload::writes(access) != writing) continue;
                        const auto cells = cells_of(subject, suite, *row, access);
                        if (cells.empty()) continue;
                        lines.emplace_back(access, ChartSeries{.label = format_title(subject.format),
                                                               .look = look_of(subject.format),
                                                               .points = latency_points(cells)});
                    }
                keep_lines(
                    {.id = fmt::format("latency-{}-{}-{}", device, suite, table.name),
                     .device = device,
                     .title = fmt::format("{}{}, blocks of {}", suite_title(suite),
                                          several ? fmt::format(", {}", table.name) : "", block_title(row->block)),
                     .kind = ChartKind::latency,
                     .unit = "",
                     .categories = latency_categories()},
                    std::move(lines), fmt::format("latency {} {} {}", suite, table.name, writing), "latency");
            }
        }
    }

    static std::vector<ChartPoint> time_points(const CellResult& cell) {
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

    /// Adds the longest cells of each suite that lasted three seconds or more.
    void add_times(std::size_t device, const std::string& suite) {
        constexpr std::size_t least_seconds = 3;
        struct TimedCell {
            const store::PassView* pass;
            const CellResult* cell;
        };
        std::vector<TimedCell> cells;
        for (const store::PassView& pass : campaign_.devices[device].passes)
            for (const CellResult& cell : pass.cells)
                if (pass.pass.job.suite == suite && cell.series.size() >= least_seconds)
                    cells.push_back({&pass, &cell});
        if (cells.empty()) return;
        std::ranges::stable_sort(cells, std::ranges::greater{},
                                 [](const TimedCell& each) { return each.cell->elapsed; });
        cells.resize(std::min(cells.size(), most_lines));
        Chart chart{.id = fmt::format("time-{}-{}", device, suite),
                    .device = device,
                    .title = {},
                    .kind = ChartKind::time,
                    .unit = "MB/s"};
        std::vector<std::string> formats;
        for (const TimedCell& each : cells) {
            formats.push_back(each.pass->pass.format);
            const workload::CellSpec& cell = each.cell->cell;
            chart.series.push_back(
                {.label = fmt::format("{} {} {}, pass {}", format_title(each.pass->pass.format), text_for(cell.access),
                                      block_title(cell.block), each.pass->pass.repeat),
                 .look = chart.series.size(),
                 .points = time_points(*each.cell)});
        }
        chart.title = title_of(device, formats, suite_title(suite) + ", rate of the longest cells over time");
        keep(std::move(chart), fmt::format("time {} {}", device, suite));
    }

    const store::CampaignView& campaign_;
    const Figures& figures_;
    std::vector<std::string> formats_;
    std::vector<Chart> charts_;
    std::vector<std::string> families_; ///< family of each chart; the charts of a family share a scale
};

} // namespace

std::vector<Chart> speed_charts(const store::CampaignView& campaign, const Figures& figures) {
    return ChartMaker(campaign, figures).speed();
}

std::vector<Chart> detail_charts(const store::CampaignView& campaign, const Figures& figures) {
    return ChartMaker(campaign, figures).details();
}

namespace {

constexpr std::size_t least_devices = 10;

/// Returns the means of the devices in ascending order, over the share of devices with a lower one.
std::vector<ChartPoint> ranked(std::vector<double> means) {
    std::ranges::sort(means);
    // Limit of points that a line of this width can show.
    constexpr std::size_t most_points = 200;
    const std::size_t count = std::min(means.size(), most_points);
    std::vector<ChartPoint> points;
    for (std::size_t i = 0; i < count; ++i) {
        const double value = means[i * (means.size() - 1) / (count - 1)];
        points.push_back({.x = 100 * static_cast<double>(i) / static_cast<double>(count - 1),
                          .y = value,
                          .low = value,
                          .high = value});
    }
    return points;
}

std::vector<std::string> formats_with(const std::vector<Subject>& subjects) {
    std::vector<std::string> formats;
    for (const Subject& subject : subjects)
        if (std::ranges::find(formats, subject.format) == formats.end()) formats.push_back(subject.format);
    return formats;
}

} // namespace

std::vector<Chart> lot_charts(const Figures& figures) {
    std::vector<Chart> charts;
    for (const std::string& name : figures.suites()) {
        const suites::Suite* suite = suites::find_suite(name);
        if (suite == nullptr) continue;
        const std::vector<Subject> subjects = figures.subjects(name);
        const std::vector<std::string> formats = formats_with(subjects);
        for (const suites::Headline& headline : suite->headlines) {
            Chart chart{.id = fmt::format("lot-{}", charts.size()),
                        .title = {},
                        .kind = ChartKind::ranked,
                        .unit = std::string(unit_of(headline.metric.value))};
            std::vector<std::string> shown;
            std::size_t media = 0;
            for (std::size_t look = 0; look < formats.size() && chart.series.size() < most_lines; ++look) {
                std::vector<double> means;
                for (const Subject& subject : subjects)
                    if (subject.format == formats[look])
                        if (const auto mean = measure::mean(figures.passes(subject, name, headline.metric)))
                            means.push_back(*mean);
                if (means.size() < least_devices) continue;
                media = std::max(media, means.size());
                shown.push_back(format_title(formats[look]));
                chart.series.push_back(
                    {.label = format_title(formats[look]), .look = look, .points = ranked(std::move(means))});
            }
            if (chart.series.empty()) continue;
            chart.title =
                fmt::format("{} media, {}: {}, {}", media, fmt::join(shown, ", "), suite->title, headline.title);
            take_in(chart.range, chart);
            charts.push_back(std::move(chart));
        }
    }
    return charts;
}

} // namespace mediarig::report

// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "host/measure/statistics.hpp"
#include "host/report/charts.hpp"
#include "host/report/display_text.hpp"
#include "host/report/metric_text.hpp"

namespace mediarig::report {
namespace {

constexpr std::size_t least_devices = 10;

/// The devices' means from the smallest to the largest, over the share of devices that have less.
std::vector<ChartPoint> ranked(std::vector<double> means) {
    std::ranges::sort(means);
    // As many points as a line of this width can show.
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
                        .title = fmt::format("{}: {}", suite->title, headline.title),
                        .kind = ChartKind::ranked,
                        .unit = std::string(unit_of(headline.metric.value)),
                        .categories = {},
                        .series = {}};
            for (std::size_t look = 0; look < formats.size() && chart.series.size() < most_lines; ++look) {
                std::vector<double> means;
                for (const Subject& subject : subjects)
                    if (subject.format == formats[look])
                        if (const auto mean = measure::mean(figures.passes(subject, name, headline.metric)))
                            means.push_back(*mean);
                if (means.size() < least_devices) continue;
                chart.series.push_back(
                    {.label = format_title(formats[look]), .look = look, .points = ranked(std::move(means))});
            }
            if (chart.series.empty()) continue;
            for (const ChartSeries& series : chart.series) {
                chart.range.low = chart.range.high == 0 ? series.points.front().y
                                                        : std::min(chart.range.low, series.points.front().y);
                chart.range.high = std::max(chart.range.high, series.points.back().y);
            }
            charts.push_back(std::move(chart));
        }
    }
    return charts;
}

} // namespace mediarig::report

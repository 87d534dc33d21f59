// SPDX-License-Identifier: GPL-3.0-or-later
/// The report's charts as values; chart_drawing.hpp draws them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/report/figures/figures.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// `low` and `high` are the extremes over the passes; equal to `y` if there is only one pass.
struct ChartPoint {
    double x{};
    double y{};
    double low{};
    double high{};
    std::string words{}; ///< the formatted figure: "31.1 ±0.6 MB/s"; empty if there are too many points to be readable
};

struct ChartSeries {
    std::string label{}; ///< not escaped
    std::size_t look{};  ///< index of colour, dash and shape: one per format in the whole report
    bool light{};        ///< second line of the same format: random access next to sequential
    std::vector<ChartPoint> points{};
};

enum class ChartKind : std::uint8_t {
    sweep,   ///< x: block size in bytes, logarithmic; y: MB/s
    points,  ///< x: index of a category; y: MB/s or ops/s; not joined
    latency, ///< x: index of a percentile; y: nanoseconds
    time,    ///< x: seconds since the start of the cell; y: MB/s
    ranked,  ///< x: percentage of the devices with a lower value; y: MB/s or ops/s
};

/// Range of an axis of values; the same for all charts that are compared with each other.
struct ValueRange {
    double low{}, high{};
};

struct Chart {
    std::string id{};     ///< unique in the report, valid as an HTML id
    std::size_t device{}; ///< index into CampaignView::devices; 0 if the chart is about all devices
    std::string title{};
    ChartKind kind{};
    std::string unit{};
    std::vector<std::string> categories{}; ///< used for points and latency
    std::vector<ChartSeries> series{};     ///< at most `most_lines` for a sweep, a latency or a time
    ValueRange range{};
};

/// More lines cannot be distinguished.
inline constexpr std::size_t most_lines = 5;
/// Maximum number of points of a time series; more seconds are averaged with their neighbours.
inline constexpr std::size_t most_time_points = 240;

/// Returns, for each device and suite, the rates over the block size for reads and writes, and the figures of other
/// tables next to each other.
[[nodiscard]] std::vector<Chart> speed_charts(const store::CampaignView& campaign, const Figures& figures);
/// Returns, for each device and suite, the latencies at the smallest block and the rates of its longest cells over
/// time.
[[nodiscard]] std::vector<Chart> detail_charts(const store::CampaignView& campaign, const Figures& figures);

/// Returns the distribution of the headline figures over the devices: a chart for each figure that ten devices or more
/// have.
[[nodiscard]] std::vector<Chart> lot_charts(const Figures& figures);

} // namespace mediarig::report

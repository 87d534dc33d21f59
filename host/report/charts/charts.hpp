// SPDX-License-Identifier: GPL-3.0-or-later
/// What the report's charts show, as values; chart_drawing.hpp draws them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/report/figures/figures.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// `low` and `high` are the extremes over the passes; equal to `y` where there is one pass, or no passes to compare.
struct ChartPoint {
    double x{};
    double y{};
    double low{};
    double high{};
    std::string words{}; ///< the formatted figure: "31.1 ±0.6 MB/s"; empty if there are too many points to be readable
};

struct ChartSeries {
    std::string label;  ///< not escaped
    std::size_t look{}; ///< which colour, dash and shape: one for each format in the whole report
    bool light{};       ///< a second line of the same format: random access beside sequential
    std::vector<ChartPoint> points;
};

enum class ChartKind : std::uint8_t {
    sweep,   ///< x: block size in bytes, logarithmic; y: MB/s
    points,  ///< x: index of a category; y: MB/s or ops/s; no lines between
    latency, ///< x: index of a percentile; y: nanoseconds
    time,    ///< x: seconds since the cell began; y: MB/s
    ranked,  ///< x: how many per cent of the devices have less; y: MB/s or ops/s
};

/// What an axis of values has to hold; the same for all charts that are compared with each other.
struct ValueRange {
    double low{}, high{};
};

struct Chart {
    std::string id;       ///< unique in the report, fit for an HTML id
    std::size_t device{}; ///< index into CampaignView::devices; 0 where it is about all of them
    std::string title;
    ChartKind kind{};
    std::string unit;
    std::vector<std::string> categories; ///< of points and latency
    std::vector<ChartSeries> series;     ///< at most `most_lines` of a sweep, a latency or a time
    ValueRange range{};
};

/// More lines than that no eye tells apart.
inline constexpr std::size_t most_lines = 5;
/// Points of a time series at most; neighbouring seconds are put together beyond that.
inline constexpr std::size_t most_time_points = 240;

/// For each device and suite: rates over the block size, reading and writing; figures of other tables side by side.
[[nodiscard]] std::vector<Chart> speed_charts(const store::CampaignView& campaign, const Figures& figures);
/// For each device and suite: latencies at the smallest block, and the course of its longest cells.
[[nodiscard]] std::vector<Chart> detail_charts(const store::CampaignView& campaign, const Figures& figures);

/// How the headline figures are spread over the devices: one for each figure that ten devices or more have.
[[nodiscard]] std::vector<Chart> lot_charts(const Figures& figures);

} // namespace mediarig::report

// SPDX-License-Identifier: GPL-3.0-or-later
/// What the report's charts show, as values; html/report.js only draws them. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/report/figures.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// `low` and `high` are the extremes over the passes; equal to `y` where there is one pass, or no passes to compare.
struct ChartPoint {
    double x{};
    double y{};
    double low{};
    double high{};
};

struct ChartSeries {
    std::string label;    ///< not escaped
    std::size_t colour{}; ///< index into the palette
    std::size_t dash{};   ///< index into the line styles
    bool hidden{};        ///< drawn only when asked for: more lines than eyes can follow
    std::vector<ChartPoint> points;
};

enum class ChartKind : std::uint8_t {
    sweep,   ///< x: block size in bytes, logarithmic; y: MB/s
    bars,    ///< x: index of a category; y: MB/s or ops/s
    latency, ///< x: index of a percentile; y: nanoseconds, logarithmic
    time,    ///< x: seconds since the cell began; y: MB/s
};

struct Chart {
    std::string id;      ///< unique in the report, fit for an HTML id
    std::string section; ///< "sweep", "formats", "latency", "time"
    std::string title;
    ChartKind kind{};
    std::string y_title;
    std::vector<std::string> categories; ///< of bars and latency
    std::vector<ChartSeries> series;
};

/// The percentiles of a latency chart; 1 is the maximum.
inline constexpr double latency_quantiles[] = {0.50, 0.90, 0.99, 0.999, 1.0};
/// Points of a time series at most; neighbouring seconds are put together beyond that.
inline constexpr std::size_t most_time_points = 240;

[[nodiscard]] std::vector<Chart> charts_of(const store::CampaignView& campaign, const Figures& figures);
/// Points become [x, y, low, high].
[[nodiscard]] nlohmann::json to_json(const Chart& chart);

} // namespace mediarig::report

// SPDX-License-Identifier: GPL-3.0-or-later
/// Draws a chart: computes the positions of its texts, lines and marks, and writes the SVG. Pure.
///
/// The drawing has a fixed width and is scaled to its place on the page, on a screen, a phone and paper, without a
/// script. The style sheet of the page defines colours, dashes and background: classes "chart", "s0" … "s6".
#pragma once

#include <string>
#include <vector>

#include "host/report/charts/charts.hpp"

namespace mediarig::report {

/// In units of the drawing; y increases downwards.
struct DrawnBox {
    double left{}, top{}, right{}, bottom{};
};

enum class Anchor : std::uint8_t { start, middle, end };

struct DrawnWord {
    double x{}, y{}; ///< position on the base line
    Anchor anchor{};
    std::string text{};                 ///< not escaped
    [[nodiscard]] DrawnBox box() const; ///< width with the widest usual font
};

/// Returns one <text>.
[[nodiscard]] std::string word_svg(const DrawnWord& word);

/// One drawn point of a series.
struct DrawnMark {
    double x{}, y{};
    double low{}, high{}; ///< ends of the mark's whisker; both equal to y without a whisker
    std::string words{};  ///< shown while a pointer is on it; empty: no mark is drawn
};

struct DrawnSeries {
    std::size_t look{};
    bool light{};
    bool joined{}; ///< a line joins the marks of the series
    std::vector<DrawnMark> marks{};
};

struct DrawnChart {
    double width{}, height{};
    DrawnBox plot{};
    bool logarithmic{};                 ///< the axis of values is logarithmic
    std::vector<double> lines_across{}; ///< y of each grid line
    std::vector<DrawnWord> words{};     ///< ticks, unit and legend
    std::vector<DrawnSeries> series{};
    std::vector<DrawnMark> keys{}; ///< samples of the look of each series in the legend
};

/// Values that span more than a factor of ten use a logarithmic axis. Whiskers and marks are within the plot, and texts
/// do not overlap.
[[nodiscard]] DrawnChart draw(const Chart& chart);

/// Returns one <svg>. A screen reader gets the title, a pointer the figure of each mark.
[[nodiscard]] std::string chart_svg(const Chart& chart);

/// Axes: positions of values and ticks. Pure.
struct ChartAxis {
    double low{}, high{}; ///< values at the ends of the axis; low < high, and 0 < low if logarithmic
    bool logarithmic{};
    std::vector<double> ticks{}; ///< ascending, within the ends

    /// Returns 0 at `low`, 1 at `high`.
    [[nodiscard]] double share_of(double value) const;
};

/// Starts at zero, or is logarithmic if the largest value is more than ten times the smallest. The ends of the axis are
/// ticks.
[[nodiscard]] ChartAxis value_axis(const ValueRange& range);
/// From zero to `last`, which need not be a tick.
[[nodiscard]] ChartAxis time_axis(double last);

} // namespace mediarig::report

// SPDX-License-Identifier: GPL-3.0-or-later
/// A chart as a drawing: where each word, line and mark lies, and the same as SVG. Pure.
///
/// The drawing has a width of its own and is scaled with its place on the page, on a screen, on a phone and on paper,
/// without a script. Colours, dashes and the ground come from the page's style sheet: classes "chart", "s0" … "s6".
#pragma once

#include <string>
#include <vector>

#include "host/report/charts/charts.hpp"

namespace mediarig::report {

/// In units of the drawing; y grows downwards.
struct DrawnBox {
    double left{}, top{}, right{}, bottom{};
};

enum class Anchor : std::uint8_t { start, middle, end };

struct DrawnWord {
    double x{}, y{}; ///< of its base line
    Anchor anchor{};
    std::string text;                   ///< not escaped
    [[nodiscard]] DrawnBox box() const; ///< as wide as the widest usual font makes it
};

/// What one point of a series is drawn as.
struct DrawnMark {
    double x{}, y{};
    double low{}, high{}; ///< ends of its whisker; both equal to y where there is none
    std::string words;    ///< shown where a pointer rests on it; empty: no mark is drawn
};

struct DrawnSeries {
    std::size_t look{};
    bool light{};
    bool joined{}; ///< its marks are joined by a line
    std::vector<DrawnMark> marks;
};

struct DrawnChart {
    double width{}, height{};
    DrawnBox plot;
    bool logarithmic{};               ///< the axis of values
    std::vector<double> lines_across; ///< y of each grid line
    std::vector<DrawnWord> words;     ///< ticks, unit and legend
    std::vector<DrawnSeries> series;
    std::vector<DrawnMark> keys; ///< where the legend shows the look of each series
};

/// Values that span more than ten times are drawn on a logarithmic axis. Whiskers and marks lie within the plot, and no
/// word covers another one.
[[nodiscard]] DrawnChart draw(const Chart& chart);

/// One <svg>; a screen reader gets the title, a pointer the figure of each mark.
[[nodiscard]] std::string chart_svg(const Chart& chart);

/// Axes: from values to places, and where the ticks are. Pure.
struct Axis {
    double low{}, high{}; ///< values at its ends; low < high, and 0 < low where it is logarithmic
    bool logarithmic{};
    std::vector<double> ticks; ///< ascending, within the ends

    /// 0 at `low`, 1 at `high`.
    [[nodiscard]] double share_of(double value) const;
};

/// From zero, or logarithmic where the largest value is more than ten times the smallest one. Its ends are ticks.
[[nodiscard]] Axis value_axis(const ValueRange& range);
/// From zero to `last`, which need not be a tick.
[[nodiscard]] Axis time_axis(double last);

} // namespace mediarig::report

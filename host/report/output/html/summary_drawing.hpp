// SPDX-License-Identifier: GPL-3.0-or-later
/// Draws the rates of all media of a summary as bars, one drawing for each direction. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/report/cards/summary.hpp"
#include "host/report/charts/chart_drawing.hpp"

namespace mediarig::report {

/// One bar: the mean of the passes, with the range of several passes.
struct DrawnBar {
    std::size_t look{}; ///< index of the format in ResultSummary::formats
    double left{}, right{}, top{}, bottom{};
    double low{}, high{}; ///< x of the ends of the range; equal for one pass
    std::string words{};  ///< "red, exFAT: 90.1 MB/s", shown while a pointer is on it
};

struct DrawnBars {
    std::string title; ///< "Sequential read, MB/s"
    double width{}, height{};
    std::vector<double> lines{}; ///< x of each grid line
    double axis_top{}, axis_bottom{};
    std::vector<DrawnWord> words{}; ///< names, ticks and legend
    std::vector<DrawnBar> bars{};
    std::vector<DrawnBar> keys{}; ///< samples of the look of each format in the legend
};

/// The bars begin at zero of a linear axis. The fastest medium comes first; media without the figure are omitted. The
/// figures are the sequential ones, or the random ones if there are no sequential ones. `writing`: the direction.
/// Without bars if the direction was not measured.
[[nodiscard]] DrawnBars draw_summary(const ResultSummary& summary, bool writing);

/// Returns one <svg> for each direction with its title as a caption; empty without bars.
[[nodiscard]] std::string summary_figures(const ResultSummary& summary);

} // namespace mediarig::report

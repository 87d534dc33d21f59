// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/output/html/summary_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "host/base/text_layout.hpp"
#include "host/measure/statistics.hpp"
#include "host/report/text/display_text.hpp"
#include "host/report/text/metric_text.hpp"

namespace mediarig::report {
namespace {

constexpr double bars_width = 340, bars_right = 326;
/// Font size of the style sheet, and the upper limit of the average width of a character.
constexpr double text_size = 11, text_width = 6.6;
constexpr double bars_top = 4, bars_axis_height = 18, bars_legend_height = 18, bars_text_gap = 6;
constexpr std::size_t longest_name = 14;
constexpr std::size_t bar_looks = 7;

/// Height of one bar: a row of several formats is not much higher than a row of one.
double thickness_of_bar(std::size_t formats) {
    return formats <= 1 ? 9 : formats == 2 ? 6 : formats == 3 ? 5 : 4;
}

double height_of_row(std::size_t formats) {
    return std::max(text_size + 3, thickness_of_bar(formats) * static_cast<double>(formats) + 4);
}

/// One medium with figures in the drawn column.
struct BarRow {
    const SummaryRow* medium;
    double fastest{};
};

std::optional<std::size_t> drawn_column(const ResultSummary& summary, bool writing) {
    std::optional<std::size_t> random;
    for (std::size_t i = 0; i < summary.columns.size(); ++i) {
        if (workload::writes(summary.columns[i].access) != writing) continue;
        if (!workload::random(summary.columns[i].access)) return i;
        random = i;
    }
    return random;
}

std::vector<BarRow> drawn_rows(const ResultSummary& summary, std::size_t column) {
    std::vector<BarRow> rows;
    for (const SummaryRow& row : summary.rows) {
        double fastest = 0;
        for (const auto& format : row.figures)
            fastest = std::max(fastest, measure::mean(format[column].passes).value_or(0));
        if (fastest > 0) rows.push_back({&row, fastest});
    }
    std::ranges::stable_sort(rows, std::greater(), &BarRow::fastest);
    return rows;
}

class BarPainter {
public:
    BarPainter(const ResultSummary& summary, std::size_t column)
        : summary_(summary), column_(column), rows_(drawn_rows(summary, column)) {
        drawn_.width = bars_width;
        std::size_t name = 0;
        ValueRange range;
        for (const BarRow& row : rows_) {
            name = std::max(name, display_width(name_of(*row.medium)));
            for (const auto& format : row.medium->figures)
                if (const auto spread = measure::spread(format[column].passes))
                    range.high = std::max(range.high, spread->most);
        }
        left_ = static_cast<double>(name) * text_width + bars_text_gap;
        axis_ = value_axis(range); // `low` is 0, so the axis is linear
    }

    [[nodiscard]] DrawnBars drawn() {
        const SummaryColumn& column = summary_.columns[column_];
        drawn_.title = fmt::format("{}, {}", capitalised(text_for(column.access)), column.unit);
        if (rows_.empty()) return std::move(drawn_);
        const std::size_t formats = summary_.formats.size();
        double top = bars_top;
        for (const BarRow& row : rows_) {
            draw_row(*row.medium, top);
            top += height_of_row(formats);
        }
        drawn_.axis_top = bars_top;
        drawn_.axis_bottom = top;
        draw_axis(top);
        drawn_.height = top + bars_axis_height;
        if (formats > 1) draw_legend();
        return std::move(drawn_);
    }

private:
    static std::string name_of(const SummaryRow& row) { return cut_to(row.name, longest_name); }
    [[nodiscard]] double x_of(double value) const {
        return left_ + (bars_right - left_) * std::clamp(axis_.share_of(value), 0.0, 1.0);
    }

    void draw_row(const SummaryRow& row, double top) {
        const std::size_t formats = summary_.formats.size();
        const double height = height_of_row(formats), thickness = thickness_of_bar(formats);
        drawn_.words.push_back({.x = left_ - bars_text_gap,
                                .y = top + height / 2 + text_size / 3,
                                .anchor = Anchor::end,
                                .text = name_of(row)});
        double y = top + (height - thickness * static_cast<double>(formats)) / 2;
        for (std::size_t format = 0; format < formats; ++format, y += thickness) {
            const std::vector<double>& passes = row.figures[format][column_].passes;
            const auto mean = measure::mean(passes);
            if (!mean) continue;
            const auto spread = *measure::spread(passes);
            drawn_.bars.push_back(
                {.look = format % bar_looks,
                 .left = left_,
                 .right = x_of(*mean),
                 .top = y + 0.5,
                 .bottom = y + thickness - 0.5,
                 .low = x_of(spread.least),
                 .high = x_of(spread.most),
                 .words = fmt::format("{}, {}: {} {}", row.name, format_title(summary_.formats[format]),
                                      short_figure_text(passes), summary_.columns[column_].unit)});
        }
    }

    void draw_axis(double bottom) {
        for (const double tick : axis_.ticks) {
            drawn_.lines.push_back(x_of(tick));
            const std::string text = fmt::format("{:.6g}", tick);
            const double half = static_cast<double>(text.size()) * text_width / 2;
            drawn_.words.push_back({.x = std::min(x_of(tick), bars_width - half),
                                    .y = bottom + text_size + 2,
                                    .anchor = Anchor::middle,
                                    .text = text});
        }
    }

    void draw_legend() {
        constexpr double key = 12;
        double x = left_, y = drawn_.height + text_size;
        for (std::size_t format = 0; format < summary_.formats.size(); ++format) {
            const std::string text = format_title(summary_.formats[format]);
            const double width = key + 4 + static_cast<double>(display_width(text)) * text_width;
            if (x > left_ && x + width > bars_width) {
                x = left_;
                y += bars_legend_height;
            }
            drawn_.keys.push_back({.look = format % bar_looks,
                                   .left = x,
                                   .right = x + key,
                                   .top = y - 8,
                                   .bottom = y,
                                   .low = x,
                                   .high = x});
            drawn_.words.push_back({.x = x + key + 4, .y = y, .anchor = Anchor::start, .text = text});
            x += width + 2 * bars_text_gap;
        }
        drawn_.height = y + bars_text_gap;
    }

    const ResultSummary& summary_;
    std::size_t column_;
    std::vector<BarRow> rows_;
    double left_{};
    ChartAxis axis_;
    DrawnBars drawn_;
};

std::string bar_svg(const DrawnBar& bar) {
    std::string text = fmt::format(
        "<g class=\"s{}\"><rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">", bar.look,
        bar.left, bar.top, bar.right - bar.left, bar.bottom - bar.top);
    if (!bar.words.empty()) text += "<title>" + html_escaped(bar.words) + "</title>";
    text += "</rect>";
    if (bar.low != bar.high)
        text += fmt::format("<path class=\"range\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", bar.low, (bar.top + bar.bottom) / 2,
                            bar.high);
    return text + "</g>";
}

std::string bars_svg(const DrawnBars& drawn, std::string_view id) {
    std::string text = fmt::format(
        "<svg class=\"chart bars\" id=\"summary-{}\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">", id,
        drawn.width, drawn.height, html_escaped(drawn.title));
    std::string grid;
    for (const double x : drawn.lines)
        grid += fmt::format("M{:.1f} {:.1f}V{:.1f}", x, drawn.axis_top, drawn.axis_bottom);
    text += fmt::format("<path class=\"grid\" d=\"{}\"/>", grid);
    for (const DrawnBar& bar : drawn.bars) text += bar_svg(bar);
    for (const DrawnBar& key : drawn.keys) text += bar_svg(key);
    for (const DrawnWord& word : drawn.words) text += word_svg(word);
    return text + "</svg>";
}

} // namespace

DrawnBars draw_summary(const ResultSummary& summary, bool writing) {
    const auto column = drawn_column(summary, writing);
    return column ? BarPainter(summary, *column).drawn() : DrawnBars{};
}

std::string summary_figures(const ResultSummary& summary) {
    std::string text;
    for (const bool writing : {false, true}) {
        const DrawnBars drawn = draw_summary(summary, writing);
        if (drawn.bars.empty()) continue;
        text += fmt::format("<figure><figcaption>{}</figcaption>{}</figure>\n", html_escaped(drawn.title),
                            bars_svg(drawn, writing ? "write" : "read"));
    }
    return text;
}

} // namespace mediarig::report

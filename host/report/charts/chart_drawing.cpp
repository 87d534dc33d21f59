// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/charts/chart_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "host/base/text.hpp"
#include "host/base/text_layout.hpp"
#include "host/report/text/display_text.hpp"

namespace mediarig::report {
namespace {

constexpr double drawing_width = 340;
/// Font size in the style sheet, and the usual limit of the average width of a character. DejaVu Sans, the widest of
/// the usual fonts, takes 0.6 of the size.
constexpr double font_size = 11, character_width = 6.6, line_height = 14;
constexpr double gap_between_words = 6;
constexpr DrawnBox plot_place{.left = 46, .top = 22, .right = 322, .bottom = 168};
/// Distance of the first and the last category from the frame.
constexpr double key_width = 26;
constexpr std::size_t longest_label = 38;
constexpr std::size_t looks = 7;

double width_of_text(const std::string& text) {
    return character_width * static_cast<double>(display_width(printable(text)));
}

std::string shortened(const std::string& label) {
    std::string text;
    for (std::string_view rest = label; !rest.empty();) {
        const CodePoint point = first_code_point(rest);
        if (display_width(printable(text)) + 2 > longest_label) return text + "…";
        text += rest.substr(0, point.length);
        rest.remove_prefix(point.length);
    }
    return text;
}

std::string tick_text(const Chart& chart, double value) {
    if (chart.kind == ChartKind::latency) return latency_text(std::chrono::nanoseconds(std::llround(value)));
    return fmt::format("{:.6g}", value);
}

class ChartPainter {
public:
    explicit ChartPainter(const Chart& chart) : chart_(chart), values_(value_axis(chart.range)) {
        // The longest text of the values sets the left edge.
        for (const double tick : values_.ticks)
            place_.left = std::max(place_.left, width_of_text(tick_text(chart_, tick)) + gap_between_words);
        drawn_.width = drawing_width;
        drawn_.plot = place_;
        drawn_.logarithmic = values_.logarithmic;
    }

    [[nodiscard]] DrawnChart drawn() {
        draw_values();
        bottom_ = place_.bottom + line_height + 4; // below the text of the lowest value
        draw_places();
        for (std::size_t i = 0; i < chart_.series.size(); ++i) draw_series(i);
        draw_legend();
        drawn_.height = bottom_ + gap_between_words;
        return std::move(drawn_);
    }

private:
    [[nodiscard]] double plot_width() const { return place_.right - place_.left; }
    [[nodiscard]] double y_of(double value) const {
        const double share = std::clamp(values_.share_of(value), 0.0, 1.0);
        return place_.bottom - share * (place_.bottom - place_.top);
    }
    [[nodiscard]] std::size_t slots() const { return std::max<std::size_t>(chart_.categories.size(), 1); }
    [[nodiscard]] double slot_width() const { return plot_width() / static_cast<double>(slots()); }

    void draw_values() {
        for (const double tick : values_.ticks) {
            drawn_.lines_across.push_back(y_of(tick));
            drawn_.words.push_back({.x = place_.left - 5,
                                    .y = y_of(tick) + font_size / 3,
                                    .anchor = Anchor::end,
                                    .text = tick_text(chart_, tick)});
        }
        const std::string unit =
            chart_.unit + (values_.logarithmic ? (chart_.unit.empty() ? "" : ", ") + std::string("logarithmic") : "");
        if (!unit.empty())
            drawn_.words.push_back({.x = place_.left, .y = font_size - 1, .anchor = Anchor::start, .text = unit});
    }

    void draw_places() {
        switch (chart_.kind) {
            case ChartKind::sweep:
                return draw_blocks();
            case ChartKind::time:
                return draw_linear(" s");
            case ChartKind::ranked:
                return draw_linear(" %");
            case ChartKind::points:
            case ChartKind::latency:
                return draw_categories();
        }
    }

    void draw_blocks() {
        double least = 0, most = 0;
        std::vector<double> blocks;
        for (const ChartSeries& series : chart_.series)
            for (const ChartPoint& point : series.points) blocks.push_back(point.x);
        std::ranges::sort(blocks);
        blocks.erase(std::ranges::unique(blocks).begin(), blocks.end());
        if (!blocks.empty()) least = blocks.front(), most = blocks.back();
        places_ = {.low = least, .high = most, .logarithmic = most > least, .ticks = {}};
        for (const double block : shown_blocks(blocks)) add_place(x_of_block(block), block_text(block));
    }

    /// The rightmost middle of a text inside the drawing. Capital letters are wider than the average character.
    static double last_place_of(const std::string& text) {
        constexpr double of_capitals = 2;
        return drawing_width - width_of_text(text) / 2 - of_capitals;
    }
    static std::string block_text(double block) { return block_title({static_cast<std::uint64_t>(block)}); }
    /// Moves the last text into the drawing if it would exceed the edge.
    [[nodiscard]] double x_of_block(double block) const {
        return std::min(x_of(block), last_place_of(block_text(block)));
    }
    /// Returns the block sizes that get a text: the smallest, the largest, and between them the multiples of the
    /// smallest by powers of 2, or else of 4, 8, …, so that the texts do not overlap.
    [[nodiscard]] std::vector<double> shown_blocks(const std::vector<double>& blocks) const {
        if (blocks.empty()) return {};
        const auto touch = [&](double a, double b) {
            return x_of_block(b) - x_of_block(a) <
                   (width_of_text(block_text(a)) + width_of_text(block_text(b))) / 2 + gap_between_words;
        };
        for (double factor = 2;; factor *= 2) {
            std::vector<double> shown{blocks.front()};
            for (double block = factor * blocks.front(); block < blocks.back(); block *= factor)
                if (!touch(block, blocks.back())) shown.push_back(block);
            if (blocks.back() > blocks.front()) shown.push_back(blocks.back());
            if (shown.size() <= 2 || std::ranges::adjacent_find(shown, touch) == shown.end()) return shown;
        }
    }

    void draw_linear(std::string_view unit) {
        double last = 0;
        for (const ChartSeries& series : chart_.series)
            for (const ChartPoint& point : series.points) last = std::max(last, point.x);
        places_ = time_axis(last);
        for (const double tick : places_.ticks) add_place(x_of(tick), fmt::format("{:.6g}{}", tick, unit));
    }

    void draw_categories() {
        double lowest = bottom_;
        for (std::size_t i = 0; i < chart_.categories.size(); ++i) {
            // Fill one line, and put the rest below.
            std::string first = chart_.categories[i], second;
            while (width_of_text(first) > slot_width() - gap_between_words && first.find(' ') != std::string::npos) {
                const std::size_t space = first.rfind(' ');
                second = first.substr(space + 1) + (second.empty() ? "" : " " + second);
                first.resize(space);
            }
            const double x = place_.left + slot_width() * (static_cast<double>(i) + 0.5);
            add_place(x, first);
            if (second.empty()) continue;
            drawn_.words.push_back({.x = x, .y = bottom_ + line_height, .anchor = Anchor::middle, .text = second});
            lowest = bottom_ + line_height;
        }
        bottom_ = lowest;
    }

    void add_place(double x, const std::string& text) {
        drawn_.words.push_back(
            {.x = std::min(x, last_place_of(text)), .y = bottom_, .anchor = Anchor::middle, .text = text});
    }

    [[nodiscard]] double x_of(double value) const {
        if (places_.high <= places_.low) return place_.left + plot_width() / 2;
        return place_.left + plot_width() * std::clamp(places_.share_of(value), 0.0, 1.0);
    }

    /// Marks of several series are next to each other in their category.
    [[nodiscard]] double x_of(const ChartPoint& point, std::size_t series) const {
        if (chart_.kind != ChartKind::points && chart_.kind != ChartKind::latency) return x_of(point.x);
        const auto count = static_cast<double>(chart_.series.size());
        const double apart = std::min(14.0, 0.7 * slot_width() / count);
        return place_.left + slot_width() * (point.x + 0.5) + apart * (static_cast<double>(series) - (count - 1) / 2);
    }

    void draw_series(std::size_t index) {
        const ChartSeries& series = chart_.series[index];
        DrawnSeries drawn{
            .look = series.look % looks, .light = series.light, .joined = chart_.kind != ChartKind::points};
        for (const ChartPoint& point : series.points)
            drawn.marks.push_back({.x = x_of(point, index),
                                   .y = y_of(point.y),
                                   .low = y_of(point.low),
                                   .high = y_of(point.high),
                                   .words = point.words});
        drawn_.series.push_back(std::move(drawn));
    }

    void draw_legend() {
        bottom_ += line_height + 6;
        double x = place_.left;
        for (const ChartSeries& series : chart_.series) {
            const std::string label = shortened(series.label);
            const double width = key_width + width_of_text(label);
            if (x > place_.left && x + width > drawing_width) {
                x = place_.left;
                bottom_ += line_height + 2;
            }
            drawn_.keys.push_back({.x = x + key_width / 2 - 2, .y = bottom_ - 4, .low = 0, .high = 0});
            drawn_.words.push_back({.x = x + key_width, .y = bottom_, .anchor = Anchor::start, .text = label});
            x += width + 2 * gap_between_words;
        }
    }

    const Chart& chart_;
    ChartAxis values_, places_;
    DrawnBox place_ = plot_place;
    DrawnChart drawn_;
    double bottom_{}; ///< base line of the lowest texts so far
};

/// Shapes that are distinct without colour: circle, square, triangle, diamond, cross, hexagon, inverted triangle.
std::string mark_path(std::size_t look, double x, double y) {
    static constexpr std::array<const char*, looks> shapes{"m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",
                                                           "m-2.8-2.8h5.6v5.6h-5.6z",
                                                           "m0-3.8l3.6 6.4h-7.2z",
                                                           "m0-4l4 4l-4 4l-4-4z",
                                                           "m-3-3l6 6m0-6l-6 6",
                                                           "m-3.4 0l1.7-3h3.4l1.7 3l-1.7 3h-3.4z",
                                                           "m0 3.8l3.6-6.4h-7.2z"};
    return fmt::format("M{:.1f} {:.1f}{}", x, y, shapes[look]);
}

std::string mark_svg(std::size_t look, const DrawnMark& mark) {
    if (mark.words.empty()) return {};
    std::string text;
    if (mark.low != mark.high)
        text += fmt::format("<path class=\"whisker\" d=\"M{0:.1f} {1:.1f}V{2:.1f}m-2.5 0h5M{3:.1f} {1:.1f}h5\"/>",
                            mark.x, mark.low, mark.high, mark.x - 2.5);
    return text + fmt::format("<path class=\"mark\" d=\"{}\"><title>{}</title></path>", mark_path(look, mark.x, mark.y),
                              html_escaped(mark.words));
}

std::string series_svg(const DrawnSeries& series) {
    std::string text = fmt::format("<g class=\"s{}{}\">", series.look, series.light ? " light" : "");
    if (series.joined && !series.marks.empty()) {
        std::string points;
        for (const DrawnMark& mark : series.marks) points += fmt::format(" {:.1f},{:.1f}", mark.x, mark.y);
        text += fmt::format("<polyline points=\"{}\"/>", points.substr(1));
    }
    for (const DrawnMark& mark : series.marks) text += mark_svg(series.look, mark);
    return text + "</g>";
}

std::string key_svg(const DrawnSeries& series, const DrawnMark& key) {
    const bool has_marks = !series.marks.empty() && !series.marks.front().words.empty();
    std::string text = fmt::format("<g class=\"s{}{}\">", series.look, series.light ? " light" : "");
    if (series.joined)
        text += fmt::format("<polyline points=\"{:.1f},{:.1f} {:.1f},{:.1f}\"/>", key.x - 10, key.y, key.x + 10, key.y);
    if (has_marks) text += fmt::format("<path class=\"mark\" d=\"{}\"/>", mark_path(series.look, key.x, key.y));
    return text + "</g>";
}

} // namespace

std::string word_svg(const DrawnWord& word) {
    static constexpr std::array<const char*, 3> anchors{"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>", word.x, word.y,
                       anchors[static_cast<std::size_t>(word.anchor)], html_escaped(word.text));
}

DrawnBox DrawnWord::box() const {
    const double width = width_of_text(text);
    const double left = anchor == Anchor::start ? x : anchor == Anchor::end ? x - width : x - width / 2;
    return {.left = left, .top = y - font_size, .right = left + width, .bottom = y + font_size / 4};
}

DrawnChart draw(const Chart& chart) {
    return ChartPainter(chart).drawn();
}

std::string chart_svg(const Chart& chart) {
    const DrawnChart drawn = draw(chart);
    std::string text =
        fmt::format("<svg class=\"chart\" id=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">",
                    chart.id, drawn.width, drawn.height, html_escaped(chart.title));
    std::string grid;
    for (const double y : drawn.lines_across)
        grid += fmt::format("M{:.1f} {:.1f}H{:.1f}", drawn.plot.left, y, drawn.plot.right);
    text += fmt::format("<path class=\"grid\" d=\"{}\"/>", grid);
    for (const DrawnWord& word : drawn.words) text += word_svg(word);
    for (const DrawnSeries& series : drawn.series) text += series_svg(series);
    for (std::size_t i = 0; i < drawn.keys.size(); ++i) text += key_svg(drawn.series[i], drawn.keys[i]);
    return text + "</svg>";
}

namespace {

constexpr double wide_span = 10;
/// Up to this number of decades each decade has ticks at 1, 2 and 5.
constexpr double fine_decades = 1.7;

std::vector<double> steps_of(double decades) {
    if (decades <= fine_decades) return {1, 2, 5};
    return decades <= 3 ? std::vector<double>{1, 3} : std::vector<double>{1};
}

/// Returns all ticks of the decades from `low` to `high`, with at most one outside each end.
std::vector<double> logarithmic_ticks(double low, double high) {
    const std::vector<double> steps = steps_of(std::log10(high / low));
    std::vector<double> ticks;
    const int first = static_cast<int>(std::floor(std::log10(low)));
    const int last = static_cast<int>(std::ceil(std::log10(high)));
    for (int decade = first; decade <= last; ++decade)
        for (const double step : steps) ticks.push_back(step * std::pow(10.0, decade));
    while (ticks.size() > 2 && ticks[1] <= low) ticks.erase(ticks.begin());
    while (ticks.size() > 2 && ticks[ticks.size() - 2] >= high) ticks.pop_back();
    return ticks;
}

/// Returns 1, 2 or 5 times a power of ten, so that about four steps reach `high`.
double step_for(double high) {
    const double rough = high / 4;
    const double decade = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double step : {1.0, 2.0, 5.0})
        if (rough <= step * decade) return step * decade;
    return 10 * decade;
}

} // namespace

double ChartAxis::share_of(double value) const {
    if (logarithmic) return std::log(value / low) / std::log(high / low);
    return (value - low) / (high - low);
}

ChartAxis value_axis(const ValueRange& range) {
    if (range.low > 0 && range.high > wide_span * range.low) {
        ChartAxis axis{.low = {}, .high = {}, .logarithmic = true, .ticks = logarithmic_ticks(range.low, range.high)};
        axis.low = axis.ticks.front();
        axis.high = axis.ticks.back();
        return axis;
    }
    ChartAxis axis = time_axis(range.high);
    axis.high = axis.ticks.back();
    if (axis.high < range.high) axis.ticks.push_back(axis.high += step_for(range.high));
    return axis;
}

ChartAxis time_axis(double last) {
    if (last <= 0 || !std::isfinite(last)) return {.low = 0, .high = 1, .logarithmic = false, .ticks = {0, 1}};
    const double step = step_for(last);
    ChartAxis axis{.low = 0, .high = last, .logarithmic = false, .ticks = {}};
    const auto count = static_cast<std::size_t>(last / step * (1 + 1e-9));
    for (std::size_t i = 0; i <= count; ++i) axis.ticks.push_back(step * static_cast<double>(i));
    return axis;
}

} // namespace mediarig::report

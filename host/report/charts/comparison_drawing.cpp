// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/charts/comparison_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/measure/comparison/sentence.hpp"
#include "host/report/text/display_text.hpp"

namespace mediarig::report {
namespace {

namespace comparison = measure::comparison;
using comparison::Look, comparison::PairResult;

/// Readable on a phone: the label of a row is above its interval.
constexpr double width = 440, left = 10, right = 430;
constexpr double label_height = 13, row_height = 32, axis_height = 30, panel_height = 110, panel_gap = 36;
constexpr double widest_word = 50, widest_number = 16;
/// Maximum number of cells in the drawing; the table contains the other cells.
constexpr std::size_t most_cells_drawn = 24;
/// Limit of the axis: beyond a factor of ten it is not readable.
const double widest_axis = std::log(10.0);

/// Maps logarithms of ratios to positions; the same for the whole drawing.
struct Scale {
    double reach{}; ///< a logarithm; the axis extends from -reach to +reach
    double margin{};

    [[nodiscard]] double share(double value) const { return (std::clamp(value / reach, -1.0, 1.0) + 1) / 2; }
    [[nodiscard]] double x(double value) const { return left + share(value) * (right - left); }
    [[nodiscard]] double y(double value, double top) const { return top + (1 - share(value)) * panel_height; }
};

Scale scale_for(const DeviceComparison& device, double margin) {
    double reach = 2 * margin;
    const auto hold = [&](const Look& look) {
        if (look.has_interval()) reach = std::max({reach, std::abs(look.from()), std::abs(look.to())});
    };
    for (const PairResult& pair_result : device.course.comparison.pair_results()) hold(pair_result.look);
    for (const comparison_campaign::CellPairResult& cell : device.cells) hold(cell.look);
    return {.reach = std::min(1.1 * reach, widest_axis), .margin = margin};
}

std::string percent(double logarithm) {
    return fmt::format("{:+.3g} %", 100 * std::expm1(logarithm));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view look) {
    return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>", x1, y1, x2, y2,
                       look);
}

std::string word(double x, double y, std::string_view anchor, const std::string& text) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", x, y, anchor,
                       html_escaped(text));
}

std::string look_of(const Look& look, const Scale& scale) {
    if (look.call == comparison::Call::same) return "s2";
    if (look.from() > 0 || look.to() < 0) return std::abs(look.counts().value) < scale.margin ? "s0" : "s1";
    return "s4";
}

std::string interval_row(const Look& look, const Scale& scale, double y, const std::string& label) {
    const std::string look_class = look_of(look, scale);
    return word(left, y - label_height, "start", label) +
           word(right, y - label_height, "end", comparison::interval_text(look)) + "<g class=\"" + look_class + "\">" +
           line(scale.x(look.from()), y, scale.x(look.to()), y, "whisker") +
           fmt::format(
               "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" class=\"mark\"><title>{}: {} [{}, {}]</title></circle>",
               scale.x(look.counts().value), y, html_escaped(label), percent(look.counts().value), percent(look.from()),
               percent(look.to())) +
           "</g>";
}

std::string label_of(const CampaignComparison& of, std::string_view what, std::size_t first, std::size_t second) {
    if (of.titles.size() == 2) return std::string(what);
    return fmt::format("{}: {} / {}", what, of.titles[first], of.titles[second]);
}

std::string headline_label(const CampaignComparison& of, const PairResult& pair_result) {
    return label_of(of, text_for(of.plan.compare->headlines[pair_result.headline]), pair_result.first,
                    pair_result.second);
}

/// Draws the rows on one axis; sets `y` to the position below them.
std::string intervals(const DeviceComparison& device, const CampaignComparison& of, const Scale& scale, double& y) {
    std::string rows;
    const double top = y;
    for (const PairResult& pair_result : device.course.comparison.pair_results())
        if (pair_result.look.has_interval()) {
            y += row_height;
            rows += interval_row(pair_result.look, scale, y, headline_label(of, pair_result));
        }
    std::size_t drawn = 0;
    for (const comparison_campaign::CellPairResult& cell : device.cells)
        if (cell.look.has_interval() && drawn++ < most_cells_drawn) {
            y += row_height;
            const std::string what = fmt::format("{} {}", text_for(cell.cell.access), block_title(cell.cell.block));
            rows += "<g class=\"light\">" +
                    interval_row(cell.look, scale, y, label_of(of, what, cell.first, cell.second)) + "</g>";
        }
    y += label_height;
    std::string axis =
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"margin\"/>",
                    scale.x(-scale.margin), top, scale.x(scale.margin) - scale.x(-scale.margin), y - top);
    for (const double tick : {-scale.reach, -scale.margin, 0.0, scale.margin, scale.reach}) {
        axis += line(scale.x(tick), top, scale.x(tick), y, "grid");
        // On a wide axis the texts of the margin would overlap the text in the middle.
        const bool is_margin = std::abs(tick) == scale.margin; // NOLINT: one of the ticks itself
        if (is_margin && (scale.x(scale.margin) - scale.x(0) < widest_word ||
                          scale.x(scale.reach) - scale.x(scale.margin) < 1.5 * widest_word))
            continue;
        const std::string_view anchor = tick == scale.reach ? "end" : tick == -scale.reach ? "start" : "middle";
        axis += word(scale.x(tick), y + 14, anchor, tick == 0 ? "alike" : percent(tick));
    }
    y += axis_height;
    return axis + rows;
}

std::optional<double> value_in(const comparison_campaign::Block& block, const PairResult& pair_result) {
    if (!block.whole) return std::nullopt;
    std::optional<double> first, second;
    for (const comparison_campaign::FormatPass& pass : block.passes) {
        if (pass.failed) continue;
        if (pass.format == pair_result.first) first = pass.headlines[pair_result.headline];
        if (pass.format == pair_result.second) second = pass.headlines[pair_result.headline];
    }
    if (!first || !second) return std::nullopt;
    return std::log(*first) - std::log(*second);
}

/// Draws the blocks of one comparison in time order, with the interval after each.
std::string history(const DeviceComparison& device, std::size_t index, const Scale& scale, double top,
                    const std::string& label) {
    const auto& blocks = device.course.blocks;
    const double step = (right - left) / static_cast<double>(blocks.size());
    const auto each_named = static_cast<std::size_t>(std::ceil(widest_number / step));
    std::string text =
        word(left, top - 4, "start",
             fmt::format("{}, block by block, {} to {}", label, percent(-scale.reach), percent(scale.reach)));
    text +=
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"margin\"/>", left,
                    scale.y(scale.margin, top), right - left, scale.y(-scale.margin, top) - scale.y(scale.margin, top));
    text += line(left, scale.y(0, top), right, scale.y(0, top), "grid");
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const double x = left + (static_cast<double>(i) + 0.5) * step;
        const PairResult& pair_result = blocks[i].pair_results[index];
        if (pair_result.look.has_interval())
            text += fmt::format("<g class=\"{}\">", look_of(pair_result.look, scale)) +
                    line(x, scale.y(pair_result.look.from(), top), x, scale.y(pair_result.look.to(), top), "whisker") +
                    "</g>";
        if (const auto value = value_in(blocks[i], pair_result))
            text += fmt::format(
                "<g class=\"s0\"><circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" class=\"mark\"><title>block {}: "
                "{}</title></circle></g>",
                x, scale.y(*value, top), blocks[i].number, percent(*value));
        if (i % each_named == 0) text += word(x, top + panel_height + 13, "middle", std::to_string(blocks[i].number));
    }
    return text;
}

std::string svg(double height, std::string_view label, const std::string& drawing) {
    return fmt::format(
        "<svg class=\"chart comparison\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" "
        "aria-label=\"{}\">{}</svg>",
        width, height, label, drawing);
}

} // namespace

std::string comparison_svg(const DeviceComparison& device, const CampaignComparison& of) {
    const auto& pair_results = device.course.comparison.pair_results();
    if (std::none_of(pair_results.begin(), pair_results.end(),
                     [](const PairResult& each) { return each.look.has_interval(); }))
        return {};
    const Scale scale = scale_for(device, std::log1p(of.plan.compare->margin_percent / 100));
    double bottom = 20;
    std::string drawing =
        word(left, 12, "start",
             of.titles.size() == 2 ? fmt::format("slower ← {} against {} → faster", of.titles[0], of.titles[1])
                                   : std::string("slower ← the first against the second → faster"));
    drawing += intervals(device, of, scale, bottom);
    double y = label_height + 4;
    std::string courses;
    for (std::size_t i = 0; i < pair_results.size(); ++i) {
        if (!pair_results[i].look.has_interval()) continue;
        courses += history(device, i, scale, y, headline_label(of, pair_results[i]));
        y += panel_height + panel_gap;
    }
    return svg(bottom, "Intervals of the ratios", drawing) + svg(y, "The blocks that they come from", courses);
}

} // namespace mediarig::report

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/progress_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "host/cli/text.hpp"
#include "host/columns.hpp"

namespace mediarig::cli {
namespace {

constexpr std::string_view gap = "  ";
constexpr std::size_t shortest_bar = 8, longest_bar = 30; ///< without its brackets

/// In the order in which they stand.
enum Field : std::size_t { counter, medium, what, bar, percent, cell, phase, bytes, rate, left, field_count };
using Fields = std::array<std::string, field_count>;

/// What goes first when there is no room.
constexpr std::array dispensable{bytes, phase, cell, bar, left, rate, counter, medium};

/// Columns that are kept for each, so that what is not known yet, and what is longer now and then, moves nothing.
using Widths = std::array<std::size_t, field_count>;

std::size_t sum_of(const Widths& widths) {
    std::size_t columns = 0;
    for (const std::size_t width : widths)
        if (width > 0) columns += (columns == 0 ? 0 : gap.size()) + width;
    return columns;
}

Widths widths_of(const Fields& fields, const ProgressLine& line) {
    Widths widths{};
    for (std::size_t i = 0; i < field_count; ++i) widths[i] = display_width(fields[i]);
    const auto at_least = [&](Field field, std::string_view longest) {
        widths[field] = std::max(widths[field], display_width(longest));
    };
    if (!fields[cell].empty()) at_least(cell, fmt::format("cell {0}/{0}", line.cells));
    if (!fields[cell].empty()) at_least(phase, "random write 4 KB");
    if (!line.fraction) return widths;
    at_least(bytes, "20.0 MB");
    at_least(rate, "100.0 MB/s");
    at_least(left, "10 min left");
    return widths;
}

std::string bar_of(double fraction, std::size_t length) {
    const auto filled = static_cast<std::size_t>(std::floor(fraction * static_cast<double>(length)));
    return fmt::format("[{}{}]", std::string(filled, '#'), std::string(length - filled, '.'));
}

} // namespace

std::string render(const ProgressLine& line, std::size_t columns) {
    Fields fields;
    fields[counter] = fmt::format("[{}/{}]", line.step, line.steps);
    fields[medium] = printable(line.medium);
    fields[what] = printable(line.what);
    const double fraction = std::clamp(line.fraction.value_or(0), 0.0, 1.0);
    if (line.fraction) {
        fields[bar] = bar_of(fraction, shortest_bar);
        // Rounded down: 100 % means done.
        fields[percent] = fmt::format("{:3.0f} %", std::floor(fraction * 100));
    }
    if (line.cells > 1) fields[cell] = fmt::format("cell {}/{}", line.cell, line.cells);
    fields[phase] = printable(line.phase);
    if (line.done.count > 0) fields[bytes] = size_text(line.done);
    if (line.rate) fields[rate] = readable_rate(*line.rate);
    if (line.left) fields[left] = readable_time(line.left->count()) + " left";

    Widths widths = widths_of(fields, line);
    for (const Field least : dispensable) {
        if (sum_of(widths) <= columns) break;
        widths[least] = 0;
        fields[least].clear();
    }
    if (!fields[bar].empty()) {
        const std::size_t over = columns - sum_of(widths);
        fields[bar] = bar_of(fraction, std::min(shortest_bar + over, longest_bar));
    }

    std::string text;
    for (const std::string& field : fields) {
        if (field.empty()) continue;
        if (!text.empty()) text += gap;
        text += field;
    }
    return cut_to(text, columns);
}

std::string readable_rate(Rate rate) {
    return fmt::format("{:.1f} MB/s", rate.megabytes_per_second());
}

} // namespace mediarig::cli

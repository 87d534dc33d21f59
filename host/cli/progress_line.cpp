// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/progress_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "host/cli/columns.hpp"
#include "host/cli/text.hpp"

namespace mediarig::cli {
namespace {

constexpr std::string_view gap = "  ";
constexpr std::size_t shortest_bar = 10, longest_bar = 30; ///< without its brackets

/// In the order in which they stand.
enum Field : std::size_t { counter, medium, what, bar, percent, cell, phase, bytes, rate, left, field_count };
using Fields = std::array<std::string, field_count>;

/// What goes first when there is no room.
constexpr std::array dispensable{bytes, phase, cell, bar, left, rate, counter, medium};

std::size_t columns_of(const Fields& fields) {
    std::size_t columns = 0;
    for (const std::string& field : fields)
        if (!field.empty()) columns += (columns == 0 ? 0 : gap.size()) + cli::columns_of(field);
    return columns;
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
    if (line.cells > 0) fields[cell] = fmt::format("cell {}/{}", line.cell, line.cells);
    fields[phase] = printable(line.phase);
    if (line.done.count > 0) fields[bytes] = size_text(line.done);
    if (line.rate) fields[rate] = readable_rate(*line.rate);
    if (line.left) fields[left] = readable_time(line.left->count()) + " left";

    for (const Field least : dispensable) {
        if (columns_of(fields) <= columns) break;
        fields[least].clear();
    }
    if (!fields[bar].empty()) {
        const std::size_t over = columns - columns_of(fields);
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

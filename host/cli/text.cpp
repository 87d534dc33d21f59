// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "host/cli/columns.hpp"

namespace mediarig::cli {

std::string readable_size(Bytes size) {
    constexpr std::array units{"B", "kB", "MB", "GB", "TB", "PB"};
    auto value = static_cast<double>(size.count);
    std::size_t unit = 0;
    // 999.95 would print as "1000.0".
    while (value >= 999.95 && unit + 1 < units.size()) {
        value /= 1000;
        ++unit;
    }
    if (unit == 0) return fmt::format("{} B", size.count);
    return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string joined(std::initializer_list<std::string_view> parts) {
    std::string result;
    for (const std::string_view part : parts) {
        if (part.empty()) continue;
        if (!result.empty()) result += ' ';
        result += part;
    }
    return result;
}

std::string readable_time(long long seconds) {
    if (seconds < 60) return fmt::format("{} s", seconds);
    if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
    return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
}

std::string line_of(std::string_view text) {
    return printable(text) + '\n';
}

Table::Table(std::vector<std::string> header) {
    rows_.push_back(std::move(header));
}

void Table::add(std::vector<std::string> row) {
    for (std::string& cell : row) cell = printable(cell);
    rows_.push_back(std::move(row));
}

std::string Table::text() const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i)
            widths[i] = std::max(widths[i], columns_of(row[i]));
    std::string text;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += row[i] + (i + 1 < row.size() ? std::string(widths[i] - columns_of(row[i]) + 2, ' ') : "");
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

} // namespace mediarig::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "host/cli/columns.hpp"

namespace mediarig::cli {

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
    const auto of = [](long long large, std::string_view its, long long small, std::string_view unit) {
        return small == 0 ? fmt::format("{} {}", large, its) : fmt::format("{} {} {} {}", large, its, small, unit);
    };
    if (seconds < 60) return fmt::format("{} s", seconds);
    if (seconds < 3600) return of(seconds / 60, "min", seconds % 60, "s");
    return of(seconds / 3600, "h", seconds / 60 % 60, "min");
}

std::string counted(std::size_t count, std::string_view thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string line_of(std::string_view text) {
    return printable(text) + '\n';
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
    const std::string whole = printable(text);
    std::string lines, line;
    std::string_view rest = whole;
    while (!rest.empty()) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
        if (!line.empty() && indent + columns_of(line) + 1 + columns_of(word) > width) {
            lines += std::string(indent, ' ') + std::exchange(line, {}) + '\n';
        }
        line += line.empty() ? "" : " ";
        line += word;
    }
    return lines + std::string(indent, ' ') + line + '\n';
}

Table::Table(std::vector<std::string> header) {
    rows_.push_back(std::move(header));
}

void Table::add(std::vector<std::string> row) {
    for (std::string& cell : row) cell = printable(cell);
    rows_.push_back(std::move(row));
}

std::string Table::text() const {
    return text(std::numeric_limits<std::size_t>::max());
}

std::string Table::text(std::size_t width) const {
    constexpr std::size_t apart = 2;
    /// Narrower, a wrapped column is harder to read than a long line.
    constexpr std::size_t narrowest = 20;
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i)
            widths[i] = std::max(widths[i], columns_of(row[i]));
    std::size_t before = 0;
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) before += widths[i] + apart;
    const std::size_t last = width < before + narrowest ? std::numeric_limits<std::size_t>::max() : width;
    std::string text;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i + 1 < row.size(); ++i)
            line += row[i] + std::string(widths[i] - columns_of(row[i]) + apart, ' ');
        if (columns_of(line) + columns_of(row.back()) > last)
            line += wrapped(row.back(), last, before).substr(before);
        else
            line += row.back();
        line.erase(line.find_last_not_of(" \n") + 1);
        text += line + '\n';
    }
    return text;
}

} // namespace mediarig::cli

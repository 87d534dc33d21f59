// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <limits>
#include <utility>

#include "host/base/text.hpp"
#include "host/cli/text/text.hpp"

namespace mediarig::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t apart = 2;
/// Minimum width of a wrapped cell: below it an additional line is easier to read.
constexpr std::size_t narrowest = 12;
/// Indent of columns that continue below others.
constexpr std::size_t indent = 4;

bool is_number(std::string_view word) {
    for (const std::string_view sign : {"+", "-", "−", "±"})
        if (word.starts_with(sign)) word.remove_prefix(sign.size());
    return !word.empty() && word[0] >= '0' && word[0] <= '9';
}

/// "30.5 MB", "20 × 0 B", "? +3.1 %", "2026-11-26 11:37".
bool belong_together(std::string_view word, std::string_view next) {
    constexpr std::size_t longest_unit = 4;
    if (word == "×" || word == "?") return true;
    return is_number(word) && (is_number(next) || display_width(next) <= longest_unit);
}

/// The parts between which a cell may be broken.
std::vector<std::string_view> pieces_of(std::string_view cell) {
    std::vector<std::string_view> pieces;
    std::string_view before;
    for (std::size_t at = 0; at <= cell.size();) {
        const std::size_t end = std::min(cell.find(' ', at), cell.size());
        const std::string_view word = cell.substr(at, end - at);
        if (!pieces.empty() && belong_together(before, word))
            pieces.back() = {pieces.back().data(), pieces.back().size() + 1 + word.size()};
        else
            pieces.push_back(word);
        before = word;
        at = end + 1;
    }
    return pieces;
}

/// A part longer than `width` gets its own line.
std::vector<std::string> lines_in(const std::string& cell, std::size_t width) {
    if (display_width(cell) <= width) return {cell};
    std::vector<std::string> lines;
    for (const std::string_view piece : pieces_of(cell)) {
        if (lines.empty() || display_width(lines.back()) + 1 + display_width(piece) > width)
            lines.emplace_back(piece);
        else
            lines.back().append(" ").append(piece);
    }
    return lines;
}

struct Column {
    std::size_t width{}; ///< assigned width; initially the width of the content
    std::size_t least{};
};

std::vector<Column> measured_columns(const Rows& rows) {
    std::vector<Column> columns(rows.front().size());
    for (const auto& row : rows)
        for (std::size_t i = 0; i < std::min(row.size(), columns.size()); ++i) {
            columns[i].width = std::max(columns[i].width, display_width(row[i]));
            for (const std::string_view piece : pieces_of(row[i]))
                columns[i].least = std::max(columns[i].least, display_width(piece));
        }
    for (Column& column : columns) column.least = std::max(column.least, std::min(column.width, narrowest));
    return columns;
}

/// Columns `first` … `last` - 1.
struct Group {
    std::size_t first{}, last{};
    [[nodiscard]] std::size_t before() const { return first == 0 ? 0 : indent; }
};

std::size_t sum_of(const std::vector<Column>& columns, const Group& group, std::size_t Column::*of) {
    std::size_t sum = group.before();
    for (std::size_t i = group.first; i < group.last; ++i) sum += columns[i].*of + (i > group.first ? apart : 0);
    return sum;
}

/// Groups of columns that fit next to each other at their minimum width.
std::vector<Group> groups_of(const std::vector<Column>& columns, std::size_t width) {
    std::vector<Group> groups;
    for (std::size_t first = 0; first < columns.size(); first = groups.back().last) {
        Group group{first, first + 1};
        while (group.last < columns.size() && sum_of(columns, {first, group.last + 1}, &Column::least) <= width)
            ++group.last;
        groups.push_back(group);
    }
    return groups;
}

std::size_t further_lines(const Rows& rows, std::size_t column, std::size_t from, std::size_t to) {
    std::size_t lines = 0;
    for (const auto& row : rows)
        if (column < row.size()) lines += lines_in(row[column], to).size() - lines_in(row[column], from).size();
    return lines;
}

/// Width that a column needs if its cells are wrapped to `width`.
std::size_t widest_line_in(const Rows& rows, std::size_t column, std::size_t width) {
    std::size_t widest = 0;
    for (const auto& row : rows)
        if (column < row.size())
            for (const std::string& line : lines_in(row[column], width)) widest = std::max(widest, display_width(line));
    return widest;
}

/// Narrows columns one by one until the group fits: first the column that adds the fewest lines per blank.
void narrow(const Rows& rows, std::vector<Column>& columns, const Group& group, std::size_t width) {
    for (std::size_t sum = sum_of(columns, group, &Column::width); sum > width;
         sum = sum_of(columns, group, &Column::width)) {
        std::size_t best = columns.size(), best_width = 0;
        double best_cost = std::numeric_limits<double>::infinity();
        for (std::size_t i = group.first; i < group.last; ++i) {
            const Column& column = columns[i];
            if (column.width <= column.least) continue;
            const std::size_t gives = std::min(sum - width, column.width - column.least);
            const double cost = static_cast<double>(further_lines(rows, i, column.width, column.width - gives)) /
                                static_cast<double>(gives);
            if (cost > best_cost) continue;
            best = i;
            best_cost = cost;
            best_width = column.width - gives;
        }
        if (best == columns.size()) return; // a single word is longer than the line
        columns[best].width = widest_line_in(rows, best, best_width);
    }
}

std::string row_text(const std::vector<std::string>& row, const std::vector<Column>& columns, const Group& group) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t i = group.first; i < std::min(row.size(), group.last); ++i) {
        cells.push_back(lines_in(row[i], columns[i].width));
        height = std::max(height, cells.back().size());
    }
    std::string text;
    for (std::size_t at = 0; at < height; ++at) {
        std::string line(group.before(), ' ');
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::string part = at < cells[i].size() ? cells[i][at] : std::string();
            const std::size_t width = columns[group.first + i].width;
            line += part + std::string(width - std::min(width, display_width(part)) + apart, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

} // namespace

TextTable::TextTable(std::vector<std::string> header) {
    rows_.push_back(std::move(header));
}

void TextTable::add(std::vector<std::string> row) {
    for (std::string& cell : row) cell = printable(cell);
    rows_.push_back(std::move(row));
}

std::string TextTable::text() const {
    return text(std::numeric_limits<std::size_t>::max());
}

std::string TextTable::text(std::size_t width) const {
    std::vector<Column> columns = measured_columns(rows_);
    const std::vector<Group> groups = groups_of(columns, width);
    for (const Group& group : groups) narrow(rows_, columns, group, width);
    std::string text;
    for (const auto& row : rows_)
        for (const Group& group : groups) text += row_text(row, columns, group);
    return text;
}

} // namespace mediarig::cli

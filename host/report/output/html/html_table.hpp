// SPDX-License-Identifier: GPL-3.0-or-later
/// A table of the page that becomes a list on a phone: each cell has its column's title, each element its role.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mediarig::report::html {

enum class ColumnKind : std::uint8_t {
    number,
    text,
    wide, ///< text that may take several lines
    head, ///< names the row; at most one per table
};
struct Column {
    std::string_view title; ///< constant text: not escaped
    ColumnKind kind{ColumnKind::number};
};

class ListTable {
public:
    explicit ListTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
    /// `cells` are HTML, one per column. `css` is a class of the row.
    void add(const std::vector<std::string>& cells, std::string_view css = {});
    /// Returns an empty text if no row was added.
    [[nodiscard]] std::string html() const;

private:
    std::vector<Column> columns_;
    std::string rows_;
};

/// Pairs of name and value, which are text; a pair without a value is omitted.
class FactList {
public:
    void add(std::string_view name, std::string_view value);
    /// Returns an empty text if no pair was added.
    [[nodiscard]] std::string html() const { return items_.empty() ? "" : "<dl>" + items_ + "</dl>"; }

private:
    std::string items_;
};

/// Return "<th …>" or "<td …>" with role and column title; `css` are its classes. Title and content are HTML.
[[nodiscard]] std::string cell_html(std::string_view title, std::string_view content, std::string_view css);
[[nodiscard]] std::string row_head_html(std::string_view content, std::string_view css = {});
[[nodiscard]] std::string column_head_html(std::string_view title, std::string_view css, std::size_t columns = 1);
/// `head` and `body` are the rows.
[[nodiscard]] std::string table_html(std::string_view head, std::string_view body);

} // namespace mediarig::report::html

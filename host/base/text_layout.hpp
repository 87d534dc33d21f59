// SPDX-License-Identifier: GPL-3.0-or-later
/// Text in the columns of a terminal: widths, wrapped lines, tables. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mediarig {

/// Number of terminal columns of UTF-8 `text`: most characters take one column, East Asian wide characters and emoji
/// two, combining marks none, and a byte that is not UTF-8 one.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// Width of the widest line of `text`.
[[nodiscard]] std::size_t widest_line(std::string_view text);

/// `text` in at most `columns` columns; if `text` is longer, "…" replaces its end.
[[nodiscard]] std::string cut_to(std::string_view text, std::size_t columns);

/// Printable `text` in lines of at most `width` columns. Lines break between words, but not inside single quotes,
/// inside a command such as `mediarig run --resume`, or between a number and its unit; a part that is longer than
/// `width` has a separate line. The first line starts with `first`, the others with `indent`; the last line has no line
/// end.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::string_view indent = {},
                                  std::string_view first = {});
/// wrapped() with all lines indented by `indent` blanks, and a final line end.
[[nodiscard]] std::string paragraph(std::string_view text, std::size_t width, std::size_t indent = 0);

enum class Colour : std::uint8_t { plain, ansi };

/// Return the text with emphasis; unchanged if `colour` is plain.
[[nodiscard]] std::string emphasised(std::string_view text, Colour colour);
[[nodiscard]] std::string faint(std::string_view text, Colour colour);

enum class CellLayout : std::uint8_t {
    wrapped, ///< left-aligned, wrapped if the line is too long
    left,
    right,
};

struct TextColumn {
    std::string title;
    CellLayout layout{CellLayout::wrapped};
    /// Title of a block that begins with this column: the block contains all columns up to the next block and is never
    /// split.
    std::optional<std::string> block{};
};

/// Columns with a gap of two blanks, and a line between blocks. Cells are made printable.
class TextTable {
public:
    /// All columns are wrapped.
    explicit TextTable(const std::vector<std::string>& titles);
    TextTable(TextColumn first, const std::vector<TextColumn>& others);
    void add(std::vector<std::string> row);
    /// Adds a horizontal line.
    void add_rule() { rows_.emplace_back(); }
    /// Lines of at most `width` columns: wraps the cells whose wrapping adds the fewest lines. Columns that still do
    /// not fit follow in a second table with the same first column.
    [[nodiscard]] std::string text(std::size_t width = std::numeric_limits<std::size_t>::max(),
                                   Colour colour = Colour::plain) const;

private:
    std::vector<TextColumn> columns_;
    std::vector<std::vector<std::string>> rows_; ///< the titles are the first row
};

} // namespace mediarig

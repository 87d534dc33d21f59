// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/text_layout.hpp"

#include <utf8proc.h>

#include <algorithm>

#include "host/base/text.hpp"

namespace mediarig {
namespace {

/// Removes the first character from `text`.
struct Character {
    std::string_view bytes;
    std::size_t columns{};
};
Character take_first(std::string_view& text) {
    const CodePoint point = first_code_point(text);
    const int columns = point.valid ? utf8proc_charwidth(static_cast<utf8proc_int32_t>(point.value)) : 1;
    const Character first{text.substr(0, point.length), static_cast<std::size_t>(columns)};
    text.remove_prefix(point.length);
    return first;
}

bool is_number(std::string_view word) {
    for (const std::string_view sign : {"+", "-", "−", "±"})
        if (word.starts_with(sign)) word.remove_prefix(sign.size());
    return !word.empty() && word[0] >= '0' && word[0] <= '9' && word.find_last_of(",;:.)") != word.size() - 1;
}

/// True if a line must not end between the two words, as in "30.5 MB", "20 × 0 B", "? +3.1 %", "2026-11-26 11:37".
bool belong_together(std::string_view word, std::string_view next) {
    constexpr std::size_t longest_unit = 4;
    if (word == "×" || word == "?") return true;
    return is_number(word) && (is_number(next) || display_width(next) <= longest_unit);
}

bool is_quote_open(std::string_view piece) {
    return std::ranges::count(piece, '\'') % 2 != 0;
}

/// The parts between which a line may end. A command begins with "mediarig" and ends at a punctuation mark or a
/// parenthesis outside of its quoted words. A command that is itself in quotes has no quoted words.
std::vector<std::string_view> pieces_of(std::string_view text) {
    std::vector<std::string_view> pieces;
    std::string_view before;
    bool command = false;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string_view word = text.substr(at, end - at);
        std::string_view piece = pieces.empty() ? std::string_view() : pieces.back();
        const bool in_quotes = piece.starts_with('\'');
        const bool quoted = command && !in_quotes && is_quote_open(piece);
        const bool continues = quoted || (command && !word.starts_with('('));
        const bool closes = in_quotes && is_quote_open(piece) && text.find('\'', at) != text.npos;
        if (!pieces.empty() && (continues || closes || belong_together(before, word)))
            pieces.back() = piece = {piece.data(), piece.size() + 1 + word.size()};
        else
            pieces.push_back(piece = word);
        const bool ends = !word.empty() && word.find_last_of(",;:'.)") == word.size() - 1;
        const bool goes_on = (!piece.starts_with('\'') && is_quote_open(piece)) || !ends ||
                             (word.ends_with('\'') && (quoted || word.starts_with('\'')));
        command = word == "mediarig" || word == "'mediarig" || word == "(mediarig" || (continues && goes_on);
        before = word;
        at = end + 1;
    }
    return pieces;
}

std::vector<std::string> wrapped_lines(std::string_view text, std::size_t width, std::string_view indent = {},
                                       std::string_view first = {}) {
    std::vector<std::string> lines{std::string(first)};
    bool begins = true;
    for (const std::string_view piece : pieces_of(text)) {
        const std::size_t needed = display_width(lines.back()) + 1 + display_width(piece);
        if (!begins && needed > width)
            lines.push_back(std::string(indent).append(piece));
        else
            lines.back().append(begins ? "" : " ").append(piece);
        begins = begins && piece.empty();
    }
    return lines;
}

std::string padded(const std::string& text, std::size_t width, CellLayout layout = CellLayout::left) {
    const std::string blanks(width - std::min(width, display_width(text)), ' ');
    return layout == CellLayout::right ? blanks + text : text + blanks;
}

std::string trimmed(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

} // namespace

std::size_t display_width(std::string_view text) {
    std::size_t columns = 0;
    while (!text.empty()) columns += take_first(text).columns;
    return columns;
}

std::size_t widest_line(std::string_view text) {
    std::size_t widest = 0;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        widest = std::max(widest, display_width(line));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return widest;
}

std::string cut_to(std::string_view text, std::size_t columns) {
    if (display_width(text) <= columns) return std::string(text);
    if (columns == 0) return {};
    std::string cut;
    std::size_t left = columns - 1; // leaves one column for the ellipsis
    while (!text.empty()) {
        const Character next = take_first(text);
        if (next.columns > left) break;
        left -= next.columns;
        cut += next.bytes;
    }
    return cut + "…";
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view indent, std::string_view first) {
    std::string out;
    for (const std::string& line : wrapped_lines(printable(text), width, indent, first))
        out += (out.empty() ? "" : "\n") + line;
    return out;
}

std::string paragraph(std::string_view text, std::size_t width, std::size_t indent) {
    const std::string blanks(indent, ' ');
    return wrapped(text, width, blanks, blanks) + '\n';
}

std::string emphasised(std::string_view text, Colour colour) {
    return colour == Colour::ansi ? "\033[1m" + std::string(text) + "\033[0m" : std::string(text);
}

std::string faint(std::string_view text, Colour colour) {
    return colour == Colour::ansi ? "\033[2m" + std::string(text) + "\033[0m" : std::string(text);
}

namespace {

using Rows = std::vector<std::vector<std::string>>;

/// Minimum width of a wrapped cell: below it an additional line is easier to read.
constexpr std::size_t narrowest = 12;

std::vector<std::string> lines_in(const std::string& cell, std::size_t width) {
    return display_width(cell) <= width ? std::vector{cell} : wrapped_lines(cell, width);
}

/// Measured width of a column.
struct ColumnSize {
    std::size_t width{}; ///< assigned width; initially the width of the content
    std::size_t least{};
    std::size_t after{}; ///< blanks after the last column of a block with a longer title
};

/// Some columns next to each other.
class TableSection {
public:
    TableSection(const std::vector<TextColumn>& columns, const Rows& rows, std::vector<ColumnSize> sizes)
        : columns_(columns), rows_(rows), sizes_(std::move(sizes)) {}

    /// Adds the columns `first` … `last` - 1 if they fit, or if no column except the first has been added.
    [[nodiscard]] bool add(std::size_t first, std::size_t last, std::size_t width) {
        const std::size_t before = shown_.size();
        for (std::size_t i = first; i < last; ++i) shown_.push_back(i);
        if (before <= 1 || sum_of(&ColumnSize::least) <= width) return true;
        shown_.resize(before);
        return false;
    }

    /// Narrows columns one by one until all fit: first the column whose narrowing adds the fewest lines per blank.
    void narrow(std::size_t width) {
        for (std::size_t sum = sum_of(&ColumnSize::width); sum > width; sum = sum_of(&ColumnSize::width)) {
            std::size_t best = columns_.size(), best_width = 0;
            double best_cost = std::numeric_limits<double>::infinity();
            for (const std::size_t i : shown_) {
                const ColumnSize& size = sizes_[i];
                if (size.width <= size.least) continue;
                const std::size_t gives = std::min(sum - width, size.width - size.least);
                const double cost =
                    static_cast<double>(further_lines(i, size.width - gives)) / static_cast<double>(gives);
                if (cost > best_cost) continue;
                best = i;
                best_cost = cost;
                best_width = size.width - gives;
            }
            if (best == columns_.size()) return; // no column can be narrowed further: a word is longer than the line
            sizes_[best].width = widest_line_in(best, best_width);
        }
    }

    [[nodiscard]] std::string text(Colour colour) const {
        std::string out;
        if (std::ranges::any_of(columns_, [](const TextColumn& column) { return column.block.has_value(); }))
            out += emphasised(block_titles(), colour) + '\n';
        std::string rule;
        for (std::size_t i = 0; i < sum_of(&ColumnSize::width); ++i) rule += "─";
        for (const auto& row : rows_) {
            if (row.empty()) out += faint(rule, colour) + '\n';
            const bool titles = &row == &rows_.front();
            for (const std::string& line : lines_of(row)) out += (titles ? faint(line, colour) : line) + '\n';
        }
        return out;
    }

private:
    [[nodiscard]] std::string_view gap_before(std::size_t place) const {
        return place == 0 ? "" : place > 1 && columns_[shown_[place]].block ? " │  " : "  ";
    }

    [[nodiscard]] std::size_t sum_of(std::size_t ColumnSize::*of) const {
        std::size_t sum = 0;
        for (std::size_t place = 0; place < shown_.size(); ++place)
            sum += display_width(gap_before(place)) + sizes_[shown_[place]].*of + sizes_[shown_[place]].after;
        return sum;
    }

    [[nodiscard]] std::size_t further_lines(std::size_t column, std::size_t width) const {
        std::size_t lines = 0;
        for (const auto& row : rows_)
            if (column < row.size())
                lines += lines_in(row[column], width).size() - lines_in(row[column], sizes_[column].width).size();
        return lines;
    }

    /// Width that a column needs if its cells are wrapped to `width`.
    [[nodiscard]] std::size_t widest_line_in(std::size_t column, std::size_t width) const {
        std::size_t widest = 0;
        for (const auto& row : rows_)
            if (column < row.size())
                for (const std::string& line : lines_in(row[column], width))
                    widest = std::max(widest, display_width(line));
        return widest;
    }

    [[nodiscard]] std::string block_titles() const {
        std::string titles;
        std::size_t at = 0;
        for (std::size_t place = 0; place < shown_.size(); ++place) {
            const std::string_view gap = gap_before(place);
            if (const auto& block = columns_[shown_[place]].block)
                titles = padded(titles, at).append(gap) + printable(*block);
            at += display_width(gap) + sizes_[shown_[place]].width + sizes_[shown_[place]].after;
        }
        return trimmed(titles);
    }

    [[nodiscard]] std::vector<std::string> lines_of(const std::vector<std::string>& row) const {
        std::vector<std::string> lines;
        std::size_t end = 0; // end of the columns so far
        for (std::size_t place = 0; place < shown_.size(); ++place) {
            const std::size_t i = shown_[place];
            const std::string_view gap = gap_before(place);
            const std::vector<std::string> cell =
                i < row.size() ? lines_in(row[i], sizes_[i].width) : std::vector<std::string>();
            lines.resize(std::max(lines.size(), cell.size()), "");
            for (std::size_t at = 0; at < lines.size(); ++at)
                lines[at] = padded(lines[at], end).append(gap) +
                            padded(at < cell.size() ? cell[at] : "", sizes_[i].width, columns_[i].layout);
            end += display_width(gap) + sizes_[i].width + sizes_[i].after;
        }
        std::ranges::transform(lines, lines.begin(), trimmed);
        return lines;
    }

    const std::vector<TextColumn>& columns_;
    const Rows& rows_;
    std::vector<ColumnSize> sizes_;
    std::vector<std::size_t> shown_;
};

std::size_t end_of_block(const std::vector<TextColumn>& columns, std::size_t first) {
    std::size_t last = first + 1;
    if (columns[first].block)
        while (last < columns.size() && !columns[last].block) ++last;
    return last;
}

std::vector<ColumnSize> measured(const std::vector<TextColumn>& columns, const Rows& rows) {
    std::vector<ColumnSize> sizes(columns.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        ColumnSize& size = sizes[i];
        for (const auto& row : rows) {
            if (i >= row.size()) continue;
            size.width = std::max(size.width, display_width(row[i]));
            for (const std::string_view piece : pieces_of(row[i]))
                size.least = std::max(size.least, display_width(piece));
        }
        size.least = columns[i].layout == CellLayout::wrapped ? std::max(size.least, std::min(size.width, narrowest))
                                                              : size.width;
    }
    for (std::size_t first = 1; first < columns.size(); first = end_of_block(columns, first)) {
        const std::size_t last = end_of_block(columns, first);
        std::size_t width = (last - first - 1) * 2;
        for (std::size_t i = first; i < last; ++i) width += sizes[i].width;
        const std::size_t title = display_width(printable(columns[first].block.value_or("")));
        sizes[last - 1].after = title - std::min(title, width);
    }
    return sizes;
}

} // namespace

TextTable::TextTable(const std::vector<std::string>& titles) {
    for (const std::string& title : titles) columns_.push_back({.title = title});
    add(titles);
}

TextTable::TextTable(TextColumn first, const std::vector<TextColumn>& others) : columns_{std::move(first)} {
    columns_.insert(columns_.end(), others.begin(), others.end());
    std::vector<std::string> titles;
    for (const TextColumn& column : columns_) titles.push_back(column.title);
    add(std::move(titles));
}

void TextTable::add(std::vector<std::string> row) {
    for (std::string& cell : row) cell = printable(cell);
    rows_.push_back(std::move(row));
}

std::string TextTable::text(std::size_t width, Colour colour) const {
    const std::vector<ColumnSize> sizes = measured(columns_, rows_);
    std::string out;
    std::size_t first = 1;
    do {
        TableSection section(columns_, rows_, sizes);
        static_cast<void>(section.add(0, 1, width));
        while (first < columns_.size() && section.add(first, end_of_block(columns_, first), width))
            first = end_of_block(columns_, first);
        section.narrow(width);
        out += (out.empty() ? "" : "\n") + section.text(colour);
    } while (first < columns_.size());
    return out;
}

} // namespace mediarig

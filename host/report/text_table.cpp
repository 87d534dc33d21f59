// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/text_table.hpp"

#include <algorithm>
#include <vector>

#include "host/columns.hpp"
#include "host/report/text.hpp"

namespace mediarig::report {
namespace {

constexpr std::size_t column_gap = 2;
constexpr std::string_view block_gap = " │";

std::string spaces(std::size_t count) {
    return std::string(count, ' ');
}

std::string to_right(const std::string& text, std::size_t width) {
    const std::size_t used = display_width(text);
    return used >= width ? text : spaces(width - used) + text;
}

std::string to_left(const std::string& text, std::size_t width) {
    const std::size_t used = display_width(text);
    return used >= width ? text : text + spaces(width - used);
}

/// One column: values end on one line, spreads behind them on another.
struct TextColumn {
    std::string head;
    std::size_t value_width{};
    std::size_t spread_width{}; ///< 0 where no row has a spread

    [[nodiscard]] std::size_t width() const {
        return std::max(display_width(head), value_width + (spread_width == 0 ? 0 : spread_width + 1));
    }
    [[nodiscard]] std::string text(const TableCell& cell) const {
        std::string result = to_right(printable(cell.value), value_width);
        if (spread_width > 0) result += " " + to_left(printable(cell.spread), spread_width);
        return to_right(result, width());
    }
};

struct Block {
    std::string title;
    std::size_t first_cell{}; ///< of each row
    std::vector<TextColumn> columns;

    [[nodiscard]] std::size_t width() const {
        std::size_t sum = 0;
        for (const TextColumn& column : columns) sum += column_gap + column.width();
        return std::max(sum, column_gap + display_width(title));
    }
};

std::vector<Block> measured_blocks(const Table& table, const std::vector<const TableRow*>& rows) {
    std::vector<Block> blocks;
    std::size_t cell = 0;
    for (const TableBlock& source : table.blocks) {
        Block block{.title = printable(source.title), .first_cell = cell, .columns = {}};
        for (const std::string& head : source.columns) {
            TextColumn column{.head = printable(head)};
            for (const TableRow* row : rows) {
                column.value_width = std::max(column.value_width, display_width(printable(row->cells[cell].value)));
                column.spread_width = std::max(column.spread_width, display_width(printable(row->cells[cell].spread)));
            }
            block.columns.push_back(std::move(column));
            ++cell;
        }
        blocks.push_back(std::move(block));
    }
    return blocks;
}

class Sheet {
public:
    Sheet(const Table& table, const TableOptions& options) : table_(table), options_(options) {
        for (const TableRow& row : table.rows)
            if (row.kind != RowKind::detail) rows_.push_back(&row);
        blocks_ = measured_blocks(table, rows_);
        label_width_ = display_width(printable(table.label_title));
        for (const TableRow* row : rows_) label_width_ = std::max(label_width_, display_width(printable(row->label)));
    }

    [[nodiscard]] std::string text() const {
        std::string out;
        std::size_t first = 0;
        while (first < blocks_.size()) {
            std::size_t width = label_width_ + blocks_[first].width();
            std::size_t last = first + 1;
            while (last < blocks_.size()) {
                const std::size_t more = display_width(block_gap) + blocks_[last].width();
                if (width + more > options_.width) break;
                width += more;
                ++last;
            }
            if (first > 0) out += "\n";
            out += stacked(first, last, width);
            first = last;
        }
        return out;
    }

private:
    /// The blocks first … last - 1 beside each other.
    [[nodiscard]] std::string stacked(std::size_t first, std::size_t last, std::size_t width) const {
        std::string titles = spaces(label_width_);
        std::string heads = to_left(printable(table_.label_title), label_width_);
        for (std::size_t b = first; b < last; ++b) {
            const Block& block = blocks_[b];
            const std::string gap = b > first ? std::string(block_gap) : std::string();
            titles += gap + to_left(spaces(column_gap) + block.title, block.width());
            std::string columns;
            for (const TextColumn& column : block.columns)
                columns += spaces(column_gap) + to_right(column.head, column.width());
            heads += gap + to_left(columns, block.width());
        }
        std::string out =
            emphasised(trimmed(titles), options_.colour) + "\n" + faint(trimmed(heads), options_.colour) + "\n";
        bool summing = false;
        for (const TableRow* row : rows_) {
            if (row->kind == RowKind::summary && !summing) out += faint(line(width), options_.colour) + "\n";
            summing = row->kind == RowKind::summary;
            std::string text = to_left(printable(row->label), label_width_);
            for (std::size_t b = first; b < last; ++b) {
                if (b > first) text += block_gap;
                std::string cells;
                for (std::size_t c = 0; c < blocks_[b].columns.size(); ++c)
                    cells += spaces(column_gap) + blocks_[b].columns[c].text(row->cells[blocks_[b].first_cell + c]);
                text += to_left(cells, blocks_[b].width());
            }
            out += trimmed(text) + "\n";
        }
        return out;
    }

    static std::string line(std::size_t width) {
        std::string result;
        for (std::size_t i = 0; i < width; ++i) result += "─";
        return result;
    }
    static std::string trimmed(std::string text) {
        text.erase(text.find_last_not_of(' ') + 1);
        return text;
    }

    const Table& table_;
    const TableOptions& options_;
    std::vector<const TableRow*> rows_;
    std::vector<Block> blocks_;
    std::size_t label_width_{};
};

} // namespace

std::string emphasised(std::string_view text, Colour colour) {
    return colour == Colour::ansi ? "\033[1m" + std::string(text) + "\033[0m" : std::string(text);
}

std::string faint(std::string_view text, Colour colour) {
    return colour == Colour::ansi ? "\033[2m" + std::string(text) + "\033[0m" : std::string(text);
}

std::string lay_out(const Table& table, const TableOptions& options) {
    std::string out = emphasised(wrapped(printable(table.title), options.width, ""), options.colour) + "\n";
    if (!table.caution.empty()) out += wrapped(printable(table.caution), options.width, "") + "\n";
    out += Sheet(table, options).text();
    for (const std::string& note : table.notes)
        out += faint(wrapped(printable(note), options.width, ""), options.colour) + "\n";
    return out;
}

} // namespace mediarig::report

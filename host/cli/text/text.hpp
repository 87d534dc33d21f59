// SPDX-License-Identifier: GPL-3.0-or-later
/// Text and tables for the terminal.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/text.hpp"

namespace mediarig::cli {

/// The non-empty parts, separated by blanks.
[[nodiscard]] std::string joined(std::initializer_list<std::string_view> parts);
/// "1 min 20 s", "45 s", "2 h 5 min", "12 min".
[[nodiscard]] std::string readable_time(long long seconds);

/// "1 step", "3 steps".
[[nodiscard]] std::string counted(std::size_t count, std::string_view thing);

/// Printable text and a line end: names from a medium, a file or a tool cannot break the line.
[[nodiscard]] std::string line_of(std::string_view text);

/// Printable text in lines of at most `width` columns, each indented by `indent` blanks and broken between words; a
/// longer word gets its own line.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

/// A typed line without its end; {} if the input has ended, or the line is longer than 4,095 bytes.
[[nodiscard]] std::optional<std::string> typed_line(std::istream& in);
/// The rest of the input; {} if it is longer than `most` bytes.
[[nodiscard]] std::optional<std::string> rest_of(std::istream& in, std::size_t most);

/// Left-aligned columns, two blanks apart; the last one is not padded. Cells are made printable.
class TextTable {
public:
    explicit TextTable(std::vector<std::string> header);
    void add(std::vector<std::string> row);
    [[nodiscard]] std::string text() const;
    /// If a line is longer than `width` columns, wraps the cells that add the fewest lines, between words but not
    /// between a number and its unit. If that does not suffice, columns continue below the others.
    [[nodiscard]] std::string text(std::size_t width) const;

private:
    std::vector<std::vector<std::string>> rows_;
};

} // namespace mediarig::cli

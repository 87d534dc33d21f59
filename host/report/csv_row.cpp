// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/csv_row.hpp"

#include <array>
#include <charconv>
#include <string_view>

#include "host/text.hpp"

namespace mediarig::report {
namespace {

bool is_number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    // "inf" and "nan" are words to a spreadsheet.
    if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return false;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

/// Blanks in front do not keep a spreadsheet from it, and the wide forms of East Asia count as well.
bool begins_a_formula(std::string_view text) {
    constexpr std::array<std::string_view, 8> signs{"=", "+", "-", "@", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
    const auto first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) return false;
    text.remove_prefix(first);
    for (const std::string_view sign : signs)
        if (text.starts_with(sign)) return true;
    return false;
}

/// `text` is printable: tabs and line ends, which begin cells as well, are gone.
std::string as_text(std::string_view text) {
    if (is_number(text)) return std::string(text);
    std::string result;
    while (true) {
        const std::size_t next = text.find(';');
        const std::string_view part = text.substr(0, next);
        if (begins_a_formula(part)) result += '\'';
        result += part;
        if (next == std::string_view::npos) return result;
        result += ';';
        text.remove_prefix(next + 1);
    }
}

std::string quoted(const std::string& text) {
    if (text.find_first_of(",;\"") == std::string::npos) return text;
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"') result += '"';
        result += c;
    }
    return result + "\"";
}

} // namespace

std::string csv_row(std::span<const std::string> cells) {
    std::string row;
    for (const std::string& cell : cells) {
        if (&cell != cells.data()) row += ',';
        row += quoted(as_text(printable(cell)));
    }
    return row + "\r\n";
}

} // namespace mediarig::report

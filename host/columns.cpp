// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/columns.hpp"

#include <algorithm>
#include <array>

#include "host/text.hpp"

namespace mediarig {
namespace {

struct Range {
    char32_t first, last;
};
constexpr std::array no_column{Range{0x0300, 0x036F}, Range{0x1AB0, 0x1AFF}, Range{0x200B, 0x200F},
                               Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F}};
constexpr std::array two_columns{Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0xA4CF},
                                 Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},
                                 Range{0xFF01, 0xFF60},   Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F},
                                 Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF}, Range{0x1FA70, 0x1FAFF},
                                 Range{0x20000, 0x3FFFD}};

template <std::size_t size>
bool within(const std::array<Range, size>& ranges, char32_t c) {
    return std::any_of(ranges.begin(), ranges.end(), [c](Range range) { return c >= range.first && c <= range.last; });
}

/// Takes the first character off `text`; a byte that is no UTF-8 counts as one.
struct Character {
    std::string_view bytes;
    std::size_t columns{1};
};
Character take_first(std::string_view& text) {
    const CodePoint point = first_code_point(text);
    Character first{text.substr(0, point.length)};
    if (point.valid) first.columns = within(no_column, point.value) ? 0U : within(two_columns, point.value) ? 2U : 1U;
    text.remove_prefix(point.length);
    return first;
}

/// Up to the first blank; what is in single quotes, as a path of a command that is to be typed, is one word.
std::size_t end_of_word(std::string_view text) {
    const std::size_t first = text.find(' ');
    if (!text.starts_with('\'')) return first;
    std::size_t end = first;
    while (end != text.npos && std::ranges::count(text.substr(0, end), '\'') % 2 != 0) end = text.find(' ', end + 1);
    const bool closed = std::ranges::count(text.substr(0, end), '\'') % 2 == 0;
    return closed ? end : first;
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
    std::size_t left = columns - 1; // for the ellipsis
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
    std::string line(first);
    bool begins = true;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, end_of_word(text));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        if (!begins && display_width(line) + 1 + display_width(word) > width) {
            out += line + '\n';
            line = indent;
        } else if (!begins) {
            line += ' ';
        }
        line += word;
        begins = begins && word.empty();
    }
    return out + line;
}

} // namespace mediarig

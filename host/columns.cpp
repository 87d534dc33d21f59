// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/columns.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace mediarig::cli {
namespace {

struct Range {
    char32_t first, last;
};
constexpr std::array no_column{Range{0x0300, 0x036F}, Range{0x200B, 0x200F}, Range{0x20D0, 0x20FF},
                               Range{0xFE00, 0xFE0F}};
constexpr std::array two_columns{Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0xA4CF},
                                 Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},
                                 Range{0xFF01, 0xFF60},   Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F},
                                 Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD}};

template <std::size_t size>
bool within(const std::array<Range, size>& ranges, char32_t c) {
    return std::any_of(ranges.begin(), ranges.end(), [c](Range range) { return c >= range.first && c <= range.last; });
}

/// Takes the first character off `text`; a byte that is no UTF-8 counts as one character.
struct Character {
    std::string_view bytes;
    std::size_t columns;
};
Character take_first(std::string_view& text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t length = byte(0) < 0xC0 ? 1 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
    char32_t point = byte(0);
    std::size_t used = 1;
    if (length > 1) {
        point = byte(0) & (0x7FU >> length);
        while (used < length && used < text.size() && (byte(used) & 0xC0U) == 0x80U)
            point = (point << 6) | (byte(used++) & 0x3FU);
    }
    const Character first{text.substr(0, used), within(no_column, point) ? 0U : within(two_columns, point) ? 2U : 1U};
    text.remove_prefix(used);
    return first;
}

} // namespace

std::size_t columns_of(std::string_view text) {
    std::size_t columns = 0;
    while (!text.empty()) columns += take_first(text).columns;
    return columns;
}

std::size_t widest_line(std::string_view text) {
    std::size_t widest = 0;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        widest = std::max(widest, columns_of(line));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return widest;
}

std::string cut_to(std::string_view text, std::size_t columns) {
    if (columns_of(text) <= columns) return std::string(text);
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

} // namespace mediarig::cli

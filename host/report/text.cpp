// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/text.hpp"

#include <array>

namespace mediarig::report {
namespace {

std::size_t width_of(char32_t c) {
    struct Range {
        char32_t first, last;
    };
    constexpr std::array<Range, 5> combining{Range{0x0300, 0x036F}, Range{0x1AB0, 0x1AFF}, Range{0x200B, 0x200D},
                                             Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F}};
    constexpr std::array<Range, 7> wide{Range{0x1100, 0x115F},  Range{0x2E80, 0xA4CF}, Range{0xAC00, 0xD7A3},
                                        Range{0xF900, 0xFAFF},  Range{0xFE30, 0xFE6F}, Range{0xFF00, 0xFF60},
                                        Range{0x1F300, 0x1FAFF}};
    for (const Range& range : combining)
        if (c >= range.first && c <= range.last) return 0;
    for (const Range& range : wide)
        if (c >= range.first && c <= range.last) return 2;
    return 1;
}

} // namespace

std::string html_escaped(std::string_view text) {
    std::string result;
    for (const char c : printable(text)) switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            case '\'':
                result += "&#39;";
                break;
            default:
                result += c;
        }
    return result;
}

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    while (!text.empty()) {
        const CodePoint point = first_code_point(text);
        width += point.valid ? width_of(point.value) : 1;
        text.remove_prefix(point.length);
    }
    return width;
}

} // namespace mediarig::report

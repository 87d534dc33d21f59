// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/text.hpp"

#include <array>
#include <cstdint>

namespace mediarig::report {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

struct CodePoint {
    char32_t value{};
    std::size_t length{}; ///< bytes read
    bool valid{};
};

/// The first code point of non-empty `text`; overlong forms, surrogates and cut-off sequences are not valid.
CodePoint first_code_point(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const std::uint8_t lead = byte(0);
    if (lead < 0x80) return {lead, 1, true};
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4) return {0, 1, false};
    char32_t value = lead & (0x7Fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if (i >= text.size() || (byte(i) & 0xC0) != 0x80) return {0, i, false};
        value = value << 6 | (byte(i) & 0x3Fu);
    }
    constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    return {value, length, value >= least[length] && value <= 0x10FFFF && !surrogate};
}

/// What may not reach a terminal or a page: C0, DEL, C1, line separators, and marks that turn the direction of text.
bool is_control(char32_t c) {
    return c < 0x20 || (c >= 0x7F && c <= 0x9F) || (c >= 0x200E && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
           (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

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

template <class Unwanted>
std::string replaced_where(std::string_view text, Unwanted unwanted) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const CodePoint point = first_code_point(text);
        if (point.valid && !unwanted(point.value))
            result += text.substr(0, point.length);
        else
            result += replacement;
        text.remove_prefix(point.length);
    }
    return result;
}

} // namespace

std::string valid_utf8(std::string_view text) {
    return replaced_where(text, [](char32_t) { return false; });
}

std::string printable(std::string_view text) {
    return replaced_where(text, is_control);
}

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

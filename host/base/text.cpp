// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace mediarig {
namespace {

template <class Unwanted>
std::string replaced_where(std::string_view text, std::string_view instead, Unwanted unwanted) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const CodePoint point = first_code_point(text);
        result += point.valid && !unwanted(point.value) ? text.substr(0, point.length) : instead;
        text.remove_prefix(point.length);
    }
    return result;
}

} // namespace

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

bool is_control(char32_t c) {
    return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x061C || (c >= 0x200E && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x206F) || c == 0xFEFF;
}

std::string printable(std::string_view text, std::string_view instead) {
    return replaced_where(text, instead, is_control);
}

bool is_printable(std::string_view text) {
    while (!text.empty()) {
        const CodePoint point = first_code_point(text);
        if (!point.valid || is_control(point.value)) return false;
        text.remove_prefix(point.length);
    }
    return true;
}

std::string valid_utf8(std::string_view text) {
    return replaced_where(text, replacement_character, [](char32_t) { return false; });
}

std::string size_text(Bytes amount) {
    constexpr std::array units{"kB", "MB", "GB", "TB", "PB", "EB"};
    constexpr double next_unit = 999.5; // larger values would be printed as "1000"
    if (amount.count < 1000) return fmt::format("{} B", amount.count);
    double value = static_cast<double>(amount.count) / 1000;
    std::size_t unit = 0;
    for (; value >= next_unit && unit + 1 < units.size(); ++unit) value /= 1000;
    const int digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f} {}", value, digits, units[unit]);
}

std::string binary_size_text(Bytes amount) {
    constexpr std::pair<Bytes, const char*> units[] = {{1_GiB, "GiB"}, {1_MiB, "MiB"}, {1_KiB, "KiB"}};
    for (const auto& [unit, name] : units)
        if (amount >= unit && amount * 10 % unit == 0_B)
            return fmt::format("{:g} {}", static_cast<double>(amount.count) / static_cast<double>(unit.count), name);
    return fmt::format("{} B", amount.count);
}

std::string first_line(std::string_view text) {
    return std::string(text.substr(0, text.find('\n')));
}

namespace {

struct LetterRange {
    char32_t first{}, last{};
};

constexpr std::array letters{
    LetterRange{0xAA, 0xAA},     LetterRange{0xB5, 0xB5},       LetterRange{0xBA, 0xBA}, // Latin
    LetterRange{0xC0, 0xD6},     LetterRange{0xD8, 0xF6},       LetterRange{0xF8, 0x2AF},
    LetterRange{0x300, 0x34E},   LetterRange{0x350, 0x36F}, // accents in the form of macOS
    LetterRange{0x386, 0x386},   LetterRange{0x388, 0x3F5}, // Greek
    LetterRange{0x3F7, 0x481},   LetterRange{0x48A, 0x52F}, // Cyrillic
    LetterRange{0x531, 0x556},   LetterRange{0x561, 0x587}, // Armenian
    LetterRange{0x900, 0x963},   LetterRange{0x966, 0x96F},     LetterRange{0x971, 0xDFF}, // India and Sri Lanka
    LetterRange{0xE01, 0xE3A},   LetterRange{0xE40, 0xE4E},     LetterRange{0xE50, 0xE59}, // Thai
    LetterRange{0xE81, 0xEDF},                                                             // Lao
    LetterRange{0x10A0, 0x10FA}, LetterRange{0x10FC, 0x10FF},                              // Georgian
    LetterRange{0x1E00, 0x1FBC},                                                           // more of Latin and Greek
    LetterRange{0x3005, 0x3007}, LetterRange{0x3041, 0x3096},                              // Japanese
    LetterRange{0x30A1, 0x30FA}, LetterRange{0x30FC, 0x30FE},   LetterRange{0x3400, 0x4DBF},
    LetterRange{0x4E00, 0x9FFF}, LetterRange{0x20000, 0x2FA1F}, // Chinese
    LetterRange{0xAC00, 0xD7A3},                                // Korean
};

} // namespace

bool is_letter_beyond_ascii(char32_t c) {
    return std::ranges::any_of(letters, [c](const LetterRange& range) { return c >= range.first && c <= range.last; });
}

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

/// Removes the first character from `text`; a byte that is not UTF-8 counts as one.
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

/// The word ends at the first blank. Text in single quotes, e.g. a path in a command, is one word.
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

SizeTexts size_texts(Bytes first, Bytes second) {
    SizeTexts texts{size_text(first), size_text(second)};
    if (texts.first != texts.second || first == second) return texts;
    return {fmt::format("{} bytes", first.count), fmt::format("{} bytes", second.count)};
}

std::string shortage(std::string_view who, Bytes needed, Bytes available) {
    const SizeTexts sizes = size_texts(needed, available);
    return fmt::format("{} needs {}, with {} available", who, sizes.first, sizes.second);
}

std::string too_small(Bytes medium, std::string_view for_what, Bytes least) {
    const SizeTexts sizes = size_texts(medium, least);
    return fmt::format("a medium of {} is too small for {}, which takes at least {}", sizes.first, for_what,
                       sizes.second);
}

} // namespace mediarig

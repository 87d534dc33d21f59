// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/text.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

#include <array>
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
    utf8proc_int32_t point = 0;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                         static_cast<utf8proc_ssize_t>(text.size()), &point);
    if (length <= 0) return {0, 1, false};
    return {static_cast<char32_t>(point), static_cast<std::size_t>(length), true};
}

void append_utf8(std::string& text, char32_t point) {
    std::array<utf8proc_uint8_t, 4> bytes{};
    const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(point), bytes.data());
    text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length));
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

bool is_letter_beyond_ascii(char32_t c) {
    if (c < 0x80 || (c >= 0x2B0 && c <= 0x2FF)) return false; // spacing modifiers look like quotes
    const utf8proc_property_t& known = *utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
    const bool letter = known.category >= UTF8PROC_CATEGORY_LU && known.category <= UTF8PROC_CATEGORY_NL &&
                        known.category != UTF8PROC_CATEGORY_ME && !known.ignorable;
    // Full-width digits have the class of European numbers.
    return letter && (known.category == UTF8PROC_CATEGORY_MN || known.bidi_class == UTF8PROC_BIDI_CLASS_L ||
                      known.bidi_class == UTF8PROC_BIDI_CLASS_EN);
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

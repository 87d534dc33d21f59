// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/text.hpp"

#include <fmt/format.h>

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
    constexpr double next_unit = 999.5; // would print as "1000"
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

} // namespace mediarig

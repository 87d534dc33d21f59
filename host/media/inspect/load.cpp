// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/load.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "host/base/text.hpp"

namespace mediarig::media {
namespace {

constexpr char32_t replacement = 0xFFFD;

void append_visible(std::string& text, char32_t point) {
    append_utf8(text, point < 0x20 || (point >= 0x7F && point < 0xA0) ? replacement : point);
}

std::string hex_groups(const std::array<std::byte, 16>& bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    constexpr std::array<std::size_t, 16> places{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34};
    std::string text(36, '-');
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        text[places[i]] = digits[std::to_integer<std::size_t>(bytes[i] >> 4)];
        text[places[i] + 1] = digits[std::to_integer<std::size_t>(bytes[i] & std::byte{15})];
    }
    return text;
}

} // namespace

bool holds(Raw raw, std::size_t offset, std::string_view bytes) {
    return raw.size() >= offset + bytes.size() && std::memcmp(raw.data() + offset, bytes.data(), bytes.size()) == 0;
}

std::string text_from_utf16(Raw utf16) {
    std::string text;
    for (std::size_t i = 0; i + 1 < utf16.size(); i += 2) {
        std::uint32_t unit = load_le<std::uint16_t>(utf16, i);
        if (unit == 0) break;
        const bool high = unit >= 0xD800 && unit < 0xDC00;
        const std::uint32_t next = high && i + 3 < utf16.size() ? load_le<std::uint16_t>(utf16, i + 2) : 0;
        if (next >= 0xDC00 && next < 0xE000) {
            unit = 0x10000 + ((unit - 0xD800) << 10) + (next - 0xDC00);
            i += 2;
        } else if (unit >= 0xD800 && unit < 0xE000) {
            unit = replacement;
        }
        append_visible(text, unit);
    }
    return text;
}

std::string text_from_utf8(Raw utf8) {
    std::string_view rest(reinterpret_cast<const char*>(utf8.data()), utf8.size());
    std::string text;
    for (rest = rest.substr(0, rest.find('\0')); !rest.empty();) {
        const CodePoint point = first_code_point(rest);
        append_visible(text, point.valid ? point.value : replacement);
        rest.remove_prefix(point.length);
    }
    return text;
}

std::string guid_text(Raw mixed_endian) {
    constexpr std::array<std::size_t, 16> order{3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    std::array<std::byte, 16> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = mixed_endian[order[i]];
    return hex_groups(bytes);
}

std::string uuid_text(Raw in_order) {
    std::array<std::byte, 16> bytes{};
    std::copy_n(in_order.begin(), bytes.size(), bytes.begin());
    return hex_groups(bytes);
}

} // namespace mediarig::media

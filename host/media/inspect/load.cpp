// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/load.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace mediarig::media {
namespace {

constexpr std::uint32_t replacement = 0xFFFD;

void append_utf8(std::string& text, std::uint32_t point) {
    if (point < 0x20 || (point >= 0x7F && point < 0xA0)) point = replacement;
    const auto put = [&text](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
    if (point < 0x80) {
        put(point);
    } else if (point < 0x800) {
        put(0xC0 | point >> 6);
        put(0x80 | (point & 0x3F));
    } else if (point < 0x10000) {
        put(0xE0 | point >> 12);
        put(0x80 | (point >> 6 & 0x3F));
        put(0x80 | (point & 0x3F));
    } else {
        put(0xF0 | point >> 18);
        put(0x80 | (point >> 12 & 0x3F));
        put(0x80 | (point >> 6 & 0x3F));
        put(0x80 | (point & 0x3F));
    }
}

struct Decoded {
    std::uint32_t point{replacement};
    std::size_t length{1};
};

/// Decodes the first code point of `utf8`, which must not be empty.
Decoded decode(Raw utf8) {
    const auto lead = std::to_integer<std::uint32_t>(utf8[0]);
    if (lead < 0x80) return {lead, 1};
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || utf8.size() < length) return {};
    std::uint32_t point = lead & (0x7Fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const auto next = std::to_integer<std::uint32_t>(utf8[i]);
        if ((next & 0xC0) != 0x80) return {};
        point = point << 6 | (next & 0x3F);
    }
    constexpr std::array<std::uint32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = point >= 0xD800 && point < 0xE000;
    if (point < smallest[length] || point > 0x10FFFF || surrogate) return {};
    return {point, length};
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
        append_utf8(text, unit);
    }
    return text;
}

std::string text_from_utf8(Raw utf8) {
    std::string text;
    for (std::size_t i = 0; i < utf8.size() && utf8[i] != std::byte{0};) {
        const Decoded decoded = decode(utf8.subspan(i));
        append_utf8(text, decoded.point);
        i += decoded.length;
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

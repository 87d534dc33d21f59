// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/base64.hpp"

#include <array>
#include <cstddef>

namespace mediarig::measure {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 0xFF;

constexpr std::array<std::uint8_t, 256> make_digits() {
    std::array<std::uint8_t, 256> digits{};
    for (std::uint8_t& digit : digits) digit = no_digit;
    for (std::size_t i = 0; i < alphabet.size(); ++i)
        digits[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
    return digits;
}
constexpr auto digits = make_digits();

char letter(std::uint32_t group, unsigned place) {
    return alphabet[(group >> (18 - 6 * place)) & 0x3F];
}

} // namespace

void encode_base64(std::span<const std::uint8_t> bytes, std::string& out) {
    out.reserve(out.size() + (bytes.size() + 2) / 3 * 4);
    while (bytes.size() >= 3) {
        const std::uint32_t group = std::uint32_t{bytes[0]} << 16 | std::uint32_t{bytes[1]} << 8 | bytes[2];
        const std::array text{letter(group, 0), letter(group, 1), letter(group, 2), letter(group, 3)};
        out.append(text.data(), text.size());
        bytes = bytes.subspan(3);
    }
    if (bytes.empty()) return;
    const std::uint32_t second = bytes.size() == 2 ? bytes[1] : 0u;
    const std::uint32_t group = std::uint32_t{bytes[0]} << 16 | second << 8;
    out += letter(group, 0);
    out += letter(group, 1);
    out += bytes.size() == 2 ? letter(group, 2) : '=';
    out += '=';
}

std::optional<std::vector<std::uint8_t>> decode_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::size_t padding = 0;
    while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;

    std::vector<std::uint8_t> bytes;
    bytes.reserve(text.size() / 4 * 3);
    for (std::size_t at = 0; at < text.size(); at += 4) {
        std::uint32_t group = 0;
        for (std::size_t i = at; i < at + 4; ++i) {
            const bool padded = i >= text.size() - padding;
            const std::uint8_t digit = padded ? 0 : digits[static_cast<unsigned char>(text[i])];
            if (digit == no_digit) return std::nullopt;
            group = group << 6 | digit;
        }
        bytes.push_back(static_cast<std::uint8_t>(group >> 16));
        bytes.push_back(static_cast<std::uint8_t>(group >> 8));
        bytes.push_back(static_cast<std::uint8_t>(group));
    }
    for (; padding > 0; --padding) {
        if (bytes.back() != 0) return std::nullopt;
        bytes.pop_back();
    }
    return bytes;
}

} // namespace mediarig::measure

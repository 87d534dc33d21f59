// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/plan/payload_text.hpp"

#include "host/measure/base64.hpp"

namespace mediarig::plan {
namespace {

using Octets = std::vector<std::uint8_t>;

constexpr std::string_view hex_mark = "hex:", base64_mark = "base64:";

std::optional<unsigned> hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    return std::nullopt;
}

std::optional<Octets> decode_hex(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    Octets bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const auto high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
        if (!high || !low) return std::nullopt;
        bytes.push_back(static_cast<std::uint8_t>(*high * 16 + *low));
    }
    return bytes;
}

} // namespace

std::optional<Octets> payload_from(std::string_view text) {
    std::optional<Octets> bytes;
    if (text.starts_with(hex_mark)) bytes = decode_hex(text.substr(hex_mark.size()));
    if (text.starts_with(base64_mark)) bytes = measure::decode_base64(text.substr(base64_mark.size()));
    return bytes && !bytes->empty() ? bytes : std::nullopt;
}

std::string payload_text(std::span<const std::uint8_t> bytes) {
    std::string text(base64_mark);
    measure::encode_base64(bytes, text);
    return text;
}

} // namespace mediarig::plan

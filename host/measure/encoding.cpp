// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/encoding.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace mediarig::measure {
namespace {

constexpr std::size_t longest = 5;                    ///< bytes of a 32-bit number
constexpr std::uint64_t more = 0x8080'8080'8080'8080; ///< the "more follows" bit of each byte

/// Loads eight bytes in memory order, least significant first.
std::uint64_t load_le(const std::uint8_t* from) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, sizeof word);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    return word;
}
void store_le(std::uint8_t* to, std::uint64_t word) {
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    std::memcpy(to, &word, sizeof word);
}

/// Writes eight bytes and returns the length of the number, which is at their start. The code does not branch on the
/// value: many latencies are near 2 ms, where the length changes from three bytes to four at random.
std::size_t encode_one(std::uint32_t value, std::uint8_t* to) {
    const std::uint64_t v = value;
    const std::uint64_t spread =
        (v & 0x7F) | (v & 0x3F80) << 1 | (v & 0x1F'C000) << 2 | (v & 0xFE0'0000) << 3 | (v & 0xF000'0000) << 4;
    // ceil(width / 7) for 1 … 32 without a division.
    const auto size = (static_cast<std::size_t>(std::bit_width(value | 1u)) * 9 + 64) >> 6;
    const std::uint64_t all_but_last = (std::uint64_t{1} << (8 * (size - 1))) - 1;
    store_le(to, spread | (more & all_but_last));
    return size;
}

std::uint64_t squeeze(std::uint64_t word) {
    return (word & 0x7F) | (word & 0x7F00) >> 1 | (word & 0x7F'0000) >> 2 | (word & 0x7F00'0000) >> 3 |
           (word & 0x7F'0000'0000) >> 4;
}

} // namespace

void encode_varints(std::span<const std::uint32_t> samples, std::vector<std::uint8_t>& out) {
    // Uses a small buffer in the first-level cache: resizing `out` to its worst case would clear it first.
    constexpr std::size_t batch = 512;
    std::array<std::uint8_t, batch * longest + sizeof(std::uint64_t)> buffer;
    while (!samples.empty()) {
        const auto part = samples.first(std::min(batch, samples.size()));
        std::uint8_t* at = buffer.data();
        for (const std::uint32_t value : part) at += encode_one(value, at);
        out.insert(out.end(), buffer.data(), at);
        samples = samples.subspan(part.size());
    }
}

std::optional<std::vector<std::uint32_t>> decode_varints(std::span<const std::uint8_t> bytes, std::size_t most) {
    std::vector<std::uint32_t> samples;
    samples.reserve(std::min(most, bytes.size()));
    while (!bytes.empty()) {
        std::uint64_t word = 0;
        if (bytes.size() >= sizeof word) {
            word = load_le(bytes.data());
        } else {
            std::array<std::uint8_t, sizeof word> tail;
            tail.fill(0xFF); // this byte means that another one follows, so the padding completes no number
            std::copy(bytes.begin(), bytes.end(), tail.begin());
            word = load_le(tail.data());
        }
        const std::size_t size = static_cast<std::size_t>(std::countr_zero(~word & more)) / 8 + 1;
        if (size > longest || samples.size() == most) return std::nullopt;
        const std::uint64_t value = squeeze(word & (~std::uint64_t{0} >> (64 - 8 * size)));
        if (value > 0xFFFF'FFFFu) return std::nullopt;
        samples.push_back(static_cast<std::uint32_t>(value));
        bytes = bytes.subspan(size);
    }
    return samples;
}

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

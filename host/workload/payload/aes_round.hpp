// SPDX-License-Identifier: GPL-3.0-or-later
/// One AES encryption round and its inverse in portable code. Tables are computed from the definition in FIPS 197.
/// Inner part of the pattern.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace mediarig::workload::aes {

using CipherBlock = std::array<std::uint8_t, 16>; ///< column by column, as FIPS 197 numbers the state

/// Multiplication in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197, section 4.2).
constexpr std::uint8_t multiply(std::uint8_t a, std::uint8_t b) {
    std::uint8_t product = 0;
    for (; b != 0; b = static_cast<std::uint8_t>(b >> 1)) {
        if (b & 1) product = static_cast<std::uint8_t>(product ^ a);
        a = static_cast<std::uint8_t>((a << 1) ^ ((a & 0x80) ? 0x1B : 0));
    }
    return product;
}

struct Substitution {
    std::array<std::uint8_t, 256> forward{};
    std::array<std::uint8_t, 256> inverse{};
};

/// SubBytes (FIPS 197, section 5.1.1): the inverse in GF(2^8), then an affine map.
constexpr Substitution make_substitution() {
    Substitution box;
    // 3 generates the field: walk it together with its inverse, 0xF6.
    std::uint8_t element = 1;
    std::uint8_t inverse = 1;
    box.forward[0] = 0x63;
    for (int i = 0; i < 255; ++i) {
        std::uint8_t mapped = 0x63;
        for (int turn = 0; turn < 5; ++turn) mapped = static_cast<std::uint8_t>(mapped ^ std::rotl(inverse, turn));
        box.forward[element] = mapped;
        element = multiply(element, 3);
        inverse = multiply(inverse, 0xF6);
    }
    for (unsigned value = 0; value < 256; ++value) box.inverse[box.forward[value]] = static_cast<std::uint8_t>(value);
    return box;
}
inline constexpr Substitution substitution = make_substitution();

/// One column of SubBytes followed by MixColumns for each byte in row 0; the other rows are rotations of it.
using RoundTable = std::array<std::uint32_t, 256>;
constexpr RoundTable make_forward_column() {
    RoundTable column{};
    for (unsigned value = 0; value < 256; ++value) {
        const std::uint8_t s = substitution.forward[value];
        column[value] = static_cast<std::uint32_t>(multiply(s, 2)) | static_cast<std::uint32_t>(s) << 8 |
                        static_cast<std::uint32_t>(s) << 16 | static_cast<std::uint32_t>(multiply(s, 3)) << 24;
    }
    return column;
}
inline constexpr RoundTable forward_column = make_forward_column();

/// SubBytes, ShiftRows, MixColumns, AddRoundKey: the operation of one AESENC instruction.
constexpr CipherBlock encrypt_round(const CipherBlock& state, const CipherBlock& key) {
    CipherBlock out{};
    for (std::size_t column = 0; column < 4; ++column) {
        std::uint32_t mixed = 0;
        for (std::size_t row = 0; row < 4; ++row)
            mixed ^= std::rotl(forward_column[state[((column + row) & 3) * 4 + row]], static_cast<int>(row * 8));
        for (std::size_t row = 0; row < 4; ++row)
            out[column * 4 + row] = static_cast<std::uint8_t>((mixed >> (row * 8)) ^ key[column * 4 + row]);
    }
    return out;
}

/// One column of InvMixColumns (FIPS 197, section 5.3.3) for each byte in row 0.
constexpr RoundTable make_inverse_column() {
    RoundTable column{};
    for (unsigned value = 0; value < 256; ++value) {
        const auto byte = static_cast<std::uint8_t>(value);
        column[value] = static_cast<std::uint32_t>(multiply(byte, 14)) |
                        static_cast<std::uint32_t>(multiply(byte, 9)) << 8 |
                        static_cast<std::uint32_t>(multiply(byte, 13)) << 16 |
                        static_cast<std::uint32_t>(multiply(byte, 11)) << 24;
    }
    return column;
}
inline constexpr RoundTable inverse_column = make_inverse_column();

/// Inverse of encrypt_round.
constexpr CipherBlock decrypt_round(const CipherBlock& state, const CipherBlock& key) {
    CipherBlock out{};
    for (std::size_t column = 0; column < 4; ++column) {
        std::uint32_t unmixed = 0;
        for (std::size_t row = 0; row < 4; ++row)
            unmixed ^= std::rotl(inverse_column[static_cast<std::uint8_t>(state[column * 4 + row] ^ key[column * 4 + row])],
                                 static_cast<int>(row * 8));
        for (std::size_t row = 0; row < 4; ++row)
            out[((column + row) & 3) * 4 + row] = substitution.inverse[(unmixed >> (row * 8)) & 0xFF];
    }
    return out;
}

} // namespace mediarig::workload::aes

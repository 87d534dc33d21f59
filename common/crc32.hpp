// SPDX-License-Identifier: GPL-3.0-or-later
/// CRC-32/IEEE 802.3: reflected, polynomial 0xEDB88320, start and final xor 0xFFFFFFFF. "123456789" gives 0xCBF43926.
/// Used by the rig's frames and by GPT. Do not confuse it with CRC-32/MPEG-2, which the boot ROM of the RP2040 needs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mediarig {

/// Computes the checksum byte by byte, for data in several pieces.
class Crc32 {
public:
    constexpr Crc32& add(std::uint8_t byte) {
        state_ = table[(state_ ^ byte) & 15U] ^ (state_ >> 4);
        state_ = table[(state_ ^ (static_cast<std::uint32_t>(byte) >> 4)) & 15U] ^ (state_ >> 4);
        return *this;
    }
    constexpr Crc32& add(std::span<const std::uint8_t> bytes) {
        for (const std::uint8_t byte : bytes) add(byte);
        return *this;
    }
    [[nodiscard]] constexpr std::uint32_t value() const { return ~state_; }

private:
    // A table of 16 entries, one for each nibble, takes 64 bytes of flash instead of 1024. It is fast enough for the
    // link.
    static constexpr std::array<std::uint32_t, 16> table = [] {
        std::array<std::uint32_t, 16> entries{};
        for (std::uint32_t nibble = 0; nibble < 16; ++nibble) {
            std::uint32_t value = nibble;
            for (int bit = 0; bit < 4; ++bit) value = (value & 1U) != 0 ? (value >> 1) ^ 0xEDB88320U : value >> 1;
            entries[nibble] = value;
        }
        return entries;
    }();

    std::uint32_t state_{0xFFFFFFFFU};
};

[[nodiscard]] constexpr std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
    return Crc32{}.add(bytes).value();
}

} // namespace mediarig

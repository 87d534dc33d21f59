// SPDX-License-Identifier: GPL-3.0-or-later
/// Frames of the SD bus, bit by bit: data from the host on CMD, and from the card on CMD and DAT0. Source: SD
/// Association, "Physical Layer Simplified Specification", sections 4.5 (checksums), 4.7.2 and 4.9 (formats of commands
/// and responses), 7.2.1 (checks of known frames).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mediarig::firmware {

/// x^7 + x^3 + 1, initial value 0: over commands, responses, CID and CSD.
[[nodiscard]] constexpr std::uint8_t crc7(std::span<const std::uint8_t> bytes) {
    unsigned crc = 0;
    for (const std::uint8_t byte : bytes) {
        crc ^= byte;
        for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x80U) != 0 ? (crc << 1 ^ 0x12U) & 0xFFU : crc << 1;
    }
    return static_cast<std::uint8_t>(crc >> 1);
}

/// x^16 + x^12 + x^5 + 1, initial value 0: over a block of data on one line.
[[nodiscard]] constexpr std::uint16_t crc16(std::span<const std::uint8_t> bytes) {
    unsigned crc = 0;
    for (const std::uint8_t byte : bytes) {
        crc ^= static_cast<unsigned>(byte) << 8;
        for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000U) != 0 ? crc << 1 ^ 0x1021U : crc << 1;
    }
    return static_cast<std::uint16_t>(crc);
}

/// Returns the 48 bits of a command, the first one in bit 47.
[[nodiscard]] constexpr std::uint64_t command_frame(std::uint8_t number, std::uint32_t argument) {
    const std::array<std::uint8_t, 5> bytes{
        static_cast<std::uint8_t>(0x40U | number), static_cast<std::uint8_t>(argument >> 24),
        static_cast<std::uint8_t>(argument >> 16), static_cast<std::uint8_t>(argument >> 8),
        static_cast<std::uint8_t>(argument)};
    std::uint64_t frame = 0;
    for (const std::uint8_t byte : bytes) frame = frame << 8 | byte;
    return frame << 8 | static_cast<std::uint64_t>(crc7(bytes)) << 1 | 1U;
}

/// Receives one frame from a line with idle level high: from the start bit 0 to the end bit 1.
template <std::size_t capacity>
class Reception {
public:
    enum class State : std::uint8_t { idle, waiting, taking, whole };
    /// Determines whether the start bit is stored: if it is, a response consists of whole bytes.
    enum class Start : std::uint8_t { kept, dropped };

    /// `bits`: number of stored bits including the last one. At most 8 * capacity.
    constexpr void expect(std::uint16_t bits, Start start) {
        state_ = State::waiting;
        bytes_.fill(0);
        bits_ = bits;
        taken_ = waited_ = 0;
        start_ = start;
    }
    constexpr void take(bool level) {
        if (state_ == State::waiting) {
            if (level) {
                if (waited_ < 0xFFFF) ++waited_;
                return;
            }
            state_ = State::taking;
            if (start_ == Start::dropped) return;
        }
        if (state_ != State::taking) return;
        if (level) bytes_[taken_ / 8U] |= static_cast<std::uint8_t>(0x80U >> taken_ % 8U);
        if (++taken_ == bits_) state_ = State::whole;
    }

    [[nodiscard]] constexpr State state() const { return state_; }
    [[nodiscard]] constexpr std::uint16_t waited() const { return waited_; } ///< clocks without a start bit
    [[nodiscard]] constexpr const std::array<std::uint8_t, capacity>& bytes() const { return bytes_; }

private:
    std::array<std::uint8_t, capacity> bytes_{};
    std::uint16_t bits_{}, taken_{}, waited_{};
    State state_{};
    Start start_{};
};

} // namespace mediarig::firmware

// SPDX-License-Identifier: GPL-3.0-or-later
/// Identity of a board, for the answer to HELLO.
#pragma once

#include <array>
#include <cstdint>

#include "common/rigproto/messages.hpp"

namespace mediarig::firmware {

/// The two lines to a host. Both carry the same frames.
enum class HostInterface : std::uint8_t { usb = 0, uart = 1 };
inline constexpr std::uint8_t carrier_count = 2;

struct BoardInfo {
    std::uint8_t major{}, minor{}, patch{}; ///< version of the firmware
    std::array<char, 12> build{};           ///< git revision, zero-padded
    std::array<char, 8> profile{'s', 'w', 'a', 'p', '3', '0'};
    std::array<std::uint8_t, 8> unique_id{}; ///< all zero: unknown
    std::uint32_t pin_map_hash{};            ///< CRC-32 of hw/pins.csv
    rigproto::ResetReason reset{};
};

} // namespace mediarig::firmware

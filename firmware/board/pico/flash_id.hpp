// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads the unique number of the flash chip, which is also used as the number of the board.
#pragma once

#include <array>
#include <cstdint>

namespace mediarig::pico {

/// Returns all zeros if the number cannot be read. Masks all interrupts, since flash is not readable during the call.
/// Call after USB is attached: if a flash chip does not return from the call, the watchdog resets the board, and until
/// the power is off the number is not read again.
[[nodiscard]] std::array<std::uint8_t, 8> read_flash_id();

} // namespace mediarig::pico

// SPDX-License-Identifier: GPL-3.0-or-later
/// The unique number of the flash chip, used as that of the board.
#pragma once

#include <array>
#include <cstdint>

namespace mediarig::pico {

/// Returns all zeros if the number cannot be read. Call before any interrupt is enabled, since flash is not readable
/// during the call.
[[nodiscard]] std::array<std::uint8_t, 8> read_flash_id();

} // namespace mediarig::pico

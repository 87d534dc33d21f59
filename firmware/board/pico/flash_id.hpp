// SPDX-License-Identifier: GPL-3.0-or-later
/// The unique number of the flash chip, which is that of the board.
#pragma once

#include <array>
#include <cstdint>

namespace mediarig::pico {

/// All zero: it cannot be read here. Before any interrupt is on, since flash is not readable meanwhile.
[[nodiscard]] std::array<std::uint8_t, 8> read_flash_id();

} // namespace mediarig::pico

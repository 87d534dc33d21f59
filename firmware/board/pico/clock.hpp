// SPDX-License-Identifier: GPL-3.0-or-later
/// Time since the start, and the 2 kHz tick.
#pragma once

#include <cstdint>

#include "firmware/board/pico/chip/registers.hpp"

namespace mediarig::pico {

/// Wraps after 71 minutes; for differences.
[[nodiscard]] inline std::uint32_t now_us_low() {
    return reg(timer::raw_low);
}
/// Since the timer was released from reset. Main context.
[[nodiscard]] std::uint64_t now_us();

void start_tick();
/// True once for each tick that is due; ticks that were missed are not made up for.
[[nodiscard]] bool tick_is_due();

} // namespace mediarig::pico

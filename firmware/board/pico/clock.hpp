// SPDX-License-Identifier: GPL-3.0-or-later
/// Time since the start, and the 2 kHz tick.
#pragma once

#include <cstdint>

#include "firmware/board/pico/chip/registers.hpp"

namespace mediarig::pico {

/// Wraps after 71 minutes, so use only differences of it.
[[nodiscard]] inline std::uint32_t now_us_low() {
    return reg(timer::raw_low);
}
/// Time since the timer was released from reset. Main context.
[[nodiscard]] std::uint64_t now_us();

void start_tick();
/// Returns true once per due tick; missed ticks are dropped.
[[nodiscard]] bool tick_is_due();

} // namespace mediarig::pico

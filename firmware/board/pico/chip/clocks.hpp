// SPDX-License-Identifier: GPL-3.0-or-later
/// Clocks and resets: crystal 12 MHz, system 125 MHz, USB and ADC 48 MHz.
#pragma once

#include <cstdint>

#include "firmware/board/pico/chip/registers.hpp"

namespace mediarig::pico {

inline constexpr std::uint32_t crystal_mhz = 12;
inline constexpr std::uint32_t system_mhz = 125;

/// Call first after start-up. No other peripheral may be accessed before it returns.
void start_clocks();

/// Holds peripherals (bits of RESETS) in reset until they are released. A release waits until they are ready.
inline void hold_in_reset(std::uint32_t peripherals) {
    set_bits(resets::reset, peripherals);
}
inline void release_from_reset(std::uint32_t peripherals) {
    clear_bits(resets::reset, peripherals);
    while ((reg(resets::done) & peripherals) != peripherals) {
    }
}

} // namespace mediarig::pico

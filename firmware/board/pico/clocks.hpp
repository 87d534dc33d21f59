// SPDX-License-Identifier: GPL-3.0-or-later
/// Clocks and resets: crystal 12 MHz, system 125 MHz, USB and ADC 48 MHz.
#pragma once

#include <cstdint>

namespace mediarig::pico {

inline constexpr std::uint32_t crystal_mhz = 12;
inline constexpr std::uint32_t system_mhz = 125;

/// First thing after start-up. Until it returns, no peripheral but these may be touched.
void start_clocks();

} // namespace mediarig::pico

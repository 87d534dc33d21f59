// SPDX-License-Identifier: GPL-3.0-or-later
/// Sets up the GPIOs according to hw/pins.csv, and accesses them in single cycles.
#pragma once

#include <cstdint>

#include "firmware/board/pico/chip/registers.hpp"
#include "hw/pins.hpp"

namespace mediarig::pico {

/// Sets function, pull and safe level of every pin in the map. Outputs get their level before they are enabled.
void set_up_pads();

[[nodiscard]] constexpr std::uint32_t bit(unsigned pin) {
    return 1u << pin;
}
inline void raise(unsigned pin) {
    reg(sio::out_set) = bit(pin);
}
inline void lower(unsigned pin) {
    reg(sio::out_clear) = bit(pin);
}
[[nodiscard]] inline bool is_high(unsigned pin) {
    return (reg(sio::in) & bit(pin)) != 0;
}

/// Pins that switch off motors, ports, pump and valve directly; one store raises all of them.
inline constexpr std::uint32_t direct_off = bit(pins::out_en_n) | bit(pins::mot_en_n);

} // namespace mediarig::pico

// SPDX-License-Identifier: GPL-3.0-or-later
/// Endpoint 0: answers the host's standard requests and those of class CDC (USB 2.0, chapter 9; PSTN 1.2, chapter 6).
#pragma once

#include <cstdint>

namespace mediarig::pico::usb {

// All functions are called from the USB interrupt.
void control_bus_reset();
void control_setup();
void control_in_done();
void control_out_done();

/// True if the host has enumerated the board.
[[nodiscard]] bool is_configured();
/// True if a program on the host has the port open (DTR).
[[nodiscard]] bool port_is_open();

} // namespace mediarig::pico::usb

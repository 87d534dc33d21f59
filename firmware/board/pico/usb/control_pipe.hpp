// SPDX-License-Identifier: GPL-3.0-or-later
/// Endpoint 0: requests of the host, standard and of class CDC (USB 2.0, chapter 9; PSTN 1.2, chapter 6).
#pragma once

#include <cstdint>

namespace mediarig::pico::usb {

// All of it from the USB interrupt.
void control_bus_reset();
void control_setup();
void control_in_done();
void control_out_done();

/// The host has enumerated the board, and will be served.
[[nodiscard]] bool is_configured();
/// The host's program has the port open (DTR).
[[nodiscard]] bool port_is_open();

} // namespace mediarig::pico::usb

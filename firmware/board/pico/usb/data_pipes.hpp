// SPDX-License-Identifier: GPL-3.0-or-later
/// Endpoints 1 and 2: the bytes of the serial port. Endpoint 1 never has anything to notify.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mediarig::pico::usb {

// From the USB interrupt.
/// SET_CONFIGURATION: all toggles begin with DATA0, nothing of before is sent.
void start_data();
void stop_data();
void data_in_done();
void data_out_done();
/// By address, as in requests (0x81, 0x02, 0x82). False: there is no such endpoint.
bool set_halted(std::uint8_t endpoint, bool halted);
[[nodiscard]] bool is_halted(std::uint8_t endpoint);

// From the main context, with the USB interrupt masked.
[[nodiscard]] std::size_t take(std::span<std::uint8_t> into);
[[nodiscard]] std::size_t room();
void put(std::span<const std::uint8_t> bytes);
/// The controller holds a packet that the host has not fetched.
[[nodiscard]] bool in_waiting();
/// Packets of data since the start, fetched by the host and come from it.
struct PacketCounts {
    std::uint32_t in, out;
};
[[nodiscard]] PacketCounts packet_counts();

} // namespace mediarig::pico::usb

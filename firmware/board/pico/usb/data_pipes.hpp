// SPDX-License-Identifier: GPL-3.0-or-later
/// Endpoints 1 and 2: the data of the serial port. Endpoint 1 never sends a notification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mediarig::pico::usb {

// Called from the USB interrupt.
/// For SET_CONFIGURATION: all toggles begin with DATA0, earlier data is dropped.
void start_data();
void stop_data();
void data_in_done();
void data_out_done();
/// Endpoint address as in requests (0x81, 0x02, 0x82). Returns false if there is no such endpoint.
bool set_halted(std::uint8_t endpoint, bool halted);
[[nodiscard]] bool is_halted(std::uint8_t endpoint);

// Call from the main context, with the USB interrupt masked.
[[nodiscard]] std::size_t take(std::span<std::uint8_t> into);
[[nodiscard]] std::size_t free_space();
void put(std::span<const std::uint8_t> bytes);
/// True if the controller holds a packet that the host has not fetched.
[[nodiscard]] bool has_unfetched_packet();
/// Data packets since the start, fetched by the host and received from it.
struct PacketCounts {
    std::uint32_t in, out;
};
[[nodiscard]] PacketCounts packet_counts();

} // namespace mediarig::pico::usb

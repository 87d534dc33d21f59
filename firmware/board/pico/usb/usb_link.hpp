// SPDX-License-Identifier: GPL-3.0-or-later
/// USB-CDC: the first carrier of the link. Main context.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mediarig::pico::usb_link {

/// Connects the device to the host.
void start();
/// Call within 100 ms of start(): then the host reads the serial number.
void set_serial(const std::array<std::uint8_t, 8>& unique_id);
/// Call at every tick, with microseconds that may wrap. Returns true if the controller no longer serves the bus
/// (erratum RP2040-E15 or another cause); it is then reset, and connected again a moment later.
[[nodiscard]] bool watch(std::uint32_t now_us);
/// Reads the received bytes; returns their number.
[[nodiscard]] std::size_t receive(std::span<std::uint8_t> into);
/// Number of bytes that `send` accepts now. Unlimited while the port is closed: the bytes are dropped, and the core
/// repeats the data that must not be lost.
[[nodiscard]] std::size_t free_space();
/// Accepts at most `free_space()` bytes.
void send(std::span<const std::uint8_t> bytes);

} // namespace mediarig::pico::usb_link

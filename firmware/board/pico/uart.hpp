// SPDX-License-Identifier: GPL-3.0-or-later
/// UART0, 921600 8N1: the second carrier of the link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mediarig::pico::uart_link {

void start();
/// Reads the received bytes; returns their number.
[[nodiscard]] std::size_t receive(std::span<std::uint8_t> into);
/// Number of bytes that `send` accepts now.
[[nodiscard]] std::size_t free_space();
/// Accepts at most `free_space()` bytes.
void send(std::span<const std::uint8_t> bytes);

} // namespace mediarig::pico::uart_link

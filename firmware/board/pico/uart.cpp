// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/pico/uart.hpp"

#include "firmware/board/pico/chip/byte_ring.hpp"
#include "firmware/board/pico/chip/clocks.hpp"
#include "firmware/board/pico/chip/interrupts.hpp"
#include "firmware/board/pico/chip/registers.hpp"

namespace mediarig::pico::uart_link {
namespace {

// 125 MHz / (16 x 921600) = 8 + 31/64: the resulting rate is 0.09 % too low.
constexpr std::uint32_t baud = 921'600;
constexpr std::uint32_t divider_64ths = (system_mhz * 1'000'000 * 4 + baud / 2) / baud;
static_assert(divider_64ths == 8 * 64 + 31);

constexpr std::uint32_t eight_bits_with_fifos = 3u << 5 | 1u << 4;
constexpr std::uint32_t enable_both_ways = 1u << 9 | 1u << 8 | 1u;
// Receive when a quarter of the FIFO is full, which leaves time to respond. Send again when an eighth is left.
constexpr std::uint32_t levels = 1u << 3 | 0u;

ByteRing<512> received, to_send;

/// Call from the interrupt, or while it is masked.
void fill_fifo() {
    while (!to_send.empty() && (reg(uart::flags) & uart::tx_full) == 0) reg(uart::data) = to_send.pop();
    // The interrupt occurs only when the FIFO runs low: with nothing left to send it stays disabled.
    const std::uint32_t wanted = uart::int_rx | uart::int_rx_timeout | (to_send.empty() ? 0 : uart::int_tx);
    reg(uart::imsc) = wanted;
}

} // namespace

extern "C" void uart_interrupt() {
    reg(uart::icr) = uart::int_rx_timeout;
    while ((reg(uart::flags) & uart::rx_empty) == 0) {
        const std::uint32_t data = reg(uart::data);
        // Store a damaged byte unchanged: the frame's checksum detects it. A full ring drops the byte, with the same
        // effect.
        received.push(static_cast<std::uint8_t>(data));
    }
    fill_fifo();
}

void start() {
    reg(uart::ibrd) = divider_64ths / 64;
    reg(uart::fbrd) = divider_64ths % 64;
    reg(uart::line) = eight_bits_with_fifos; // this write also applies the dividers
    reg(uart::fifo_levels) = levels;
    reg(uart::icr) = uart::int_all;
    reg(uart::ctrl) = enable_both_ways;
    reg(uart::imsc) = uart::int_rx | uart::int_rx_timeout;
    enable_interrupt(cortex::irq_uart0, Priority::links);
}

std::size_t receive(std::span<std::uint8_t> into) {
    std::size_t count = 0;
    while (count < into.size() && !received.empty()) into[count++] = received.pop();
    return count;
}

std::size_t free_space() {
    return to_send.free_space();
}

void send(std::span<const std::uint8_t> bytes) {
    for (const std::uint8_t byte : bytes) to_send.push(byte);
    const MaskedInterrupt masked(cortex::irq_uart0);
    fill_fifo();
}

} // namespace mediarig::pico::uart_link

// SPDX-License-Identifier: GPL-3.0-or-later
/// Addresses and bits of the RP2040 that this board uses, with the names of its datasheet (chapter in brackets).
#pragma once

#include <cstdint>

namespace mediarig::pico {

using Address = std::uint32_t;

inline volatile std::uint32_t& reg(Address address) {
    return *reinterpret_cast<volatile std::uint32_t*>(address);
}

// Each peripheral register has aliases for atomic writes of single bits (2.1.2).
inline void set_bits(Address address, std::uint32_t bits) {
    reg(address + 0x2000) = bits;
}
inline void clear_bits(Address address, std::uint32_t bits) {
    reg(address + 0x3000) = bits;
}

/// Bits of RESETS and of its DONE register (2.14).
namespace resets {
inline constexpr Address reset = 0x4000C000, done = 0x4000C008;
inline constexpr std::uint32_t adc = 1u << 0, io_bank0 = 1u << 5, pads_bank0 = 1u << 8, pll_sys = 1u << 12,
                               pll_usb = 1u << 13, timer = 1u << 21, uart0 = 1u << 22, usb = 1u << 24;
} // namespace resets

/// Clock generators (2.15).
namespace clocks {
inline constexpr Address ref_ctrl = 0x40008030, ref_div = 0x40008034, ref_selected = 0x40008038;
inline constexpr Address sys_ctrl = 0x4000803C, sys_div = 0x40008040, sys_selected = 0x40008044;
inline constexpr Address peri_ctrl = 0x40008048, usb_ctrl = 0x40008054, usb_div = 0x40008058;
inline constexpr Address adc_ctrl = 0x40008060, adc_div = 0x40008064, resus_ctrl = 0x40008078;
inline constexpr std::uint32_t ref_source_xosc = 2, sys_source_ref = 0, sys_source_aux = 1; // aux 0: PLL_SYS
inline constexpr std::uint32_t enable = 1u << 11; // aux 0: clk_sys for peri, PLL_USB for usb and adc
inline constexpr std::uint32_t divide_by_1 = 1u << 8;
} // namespace clocks

namespace xosc { // 2.16
inline constexpr Address ctrl = 0x40024000, status = 0x40024004, startup = 0x4002400C;
inline constexpr std::uint32_t enable_1_15mhz = 0xFABAA0, stable = 1u << 31;
} // namespace xosc

namespace pll { // 2.18
inline constexpr Address sys = 0x40028000, usb = 0x4002C000;
inline constexpr Address cs = 0x0, pwr = 0x4, fbdiv_int = 0x8, prim = 0xC;
inline constexpr std::uint32_t lock = 1u << 31, power_down = 1u << 0, vco_power_down = 1u << 5,
                               post_power_down = 1u << 3;
} // namespace pll

namespace watchdog { // 4.7
inline constexpr Address ctrl = 0x40058000, load = 0x40058004, reason = 0x40058008, scratch3 = 0x40058018,
                         tick = 0x4005802C;
inline constexpr std::uint32_t enable = 1u << 30, trigger = 1u << 31, pause_in_debug = 7u << 24;
inline constexpr std::uint32_t reason_timer = 1, reason_forced = 2;
inline constexpr std::uint32_t tick_enable = 1u << 9;
inline constexpr Address psm_wdsel = 0x40010008;
inline constexpr std::uint32_t psm_all_but_oscillators = 0x1FFFF & ~3u;
} // namespace watchdog

namespace timer { // 4.6
inline constexpr Address alarm0 = 0x40054010, alarm1 = 0x40054014, armed = 0x40054020, raw_high = 0x40054024,
                         raw_low = 0x40054028, intr = 0x40054034, inte = 0x40054038, intf = 0x4005403C;
} // namespace timer

namespace io { // 2.19: bank 0
[[nodiscard]] constexpr Address ctrl(unsigned pin) {
    return 0x40014004 + 8 * pin;
}
inline constexpr std::uint32_t function_uart = 2, function_sio = 5, function_none = 31;
/// Four bits per pin, eight pins per word: level low, level high, edge low, edge high.
[[nodiscard]] constexpr Address intr(unsigned pin) {
    return 0x400140F0 + 4 * (pin / 8);
}
[[nodiscard]] constexpr Address proc0_inte(unsigned pin) {
    return 0x40014100 + 4 * (pin / 8);
}
[[nodiscard]] constexpr std::uint32_t edge_low(unsigned pin) {
    return 4u << (4 * (pin % 8));
}
[[nodiscard]] constexpr Address pad(unsigned pin) {
    return 0x4001C004 + 4 * pin;
}
inline constexpr std::uint32_t pad_input = 1u << 6, pad_drive_4ma = 1u << 4, pad_pull_up = 1u << 3,
                               pad_pull_down = 1u << 2, pad_schmitt = 1u << 1, pad_output_disable = 1u << 7;
} // namespace io

namespace sio { // 2.3.1: single cycle, core-local
inline constexpr Address in = 0xD0000004, out_set = 0xD0000014, out_clear = 0xD0000018, enable_set = 0xD0000024,
                         enable_clear = 0xD0000028, out_toggle = 0xD000001C;
} // namespace sio

namespace uart { // 4.2: PL011
inline constexpr Address data = 0x40034000, flags = 0x40034018, ibrd = 0x40034024, fbrd = 0x40034028, line = 0x4003402C,
                         ctrl = 0x40034030, fifo_levels = 0x40034034, imsc = 0x40034038, mis = 0x40034040,
                         icr = 0x40034044;
inline constexpr std::uint32_t rx_empty = 1u << 4, tx_full = 1u << 5;
inline constexpr std::uint32_t int_rx = 1u << 4, int_tx = 1u << 5, int_rx_timeout = 1u << 6;
inline constexpr std::uint32_t int_all = 0x7FF;
inline constexpr std::uint32_t data_errors = 0xF00; // framing, parity, break, overrun, next to the byte
} // namespace uart

namespace adc { // 4.9
inline constexpr Address cs = 0x4004C000, result = 0x4004C004;
inline constexpr std::uint32_t enable = 1, start_once = 1u << 2, ready = 1u << 8, error = 1u << 9;
[[nodiscard]] constexpr std::uint32_t select(unsigned channel) {
    return channel << 12;
}
} // namespace adc

namespace cortex { // 2.4
inline constexpr Address vtor = 0xE000ED08, iser = 0xE000E100, icer = 0xE000E180, icpr = 0xE000E280, ipr = 0xE000E400;
inline constexpr unsigned irq_tick = 0, irq_step = 1, irq_usb = 5, irq_io_bank0 = 13, irq_uart0 = 20;
} // namespace cortex

} // namespace mediarig::pico

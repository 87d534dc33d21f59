// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/pico/chip/clocks.hpp"

#include "firmware/board/pico/chip/registers.hpp"

namespace mediarig::pico {
namespace {

/// Resets peripherals, releases them and waits until they are ready, whatever their previous state.
void restart(std::uint32_t peripherals) {
    hold_in_reset(peripherals);
    release_from_reset(peripherals);
}

struct Dividers {
    std::uint32_t feedback, post1, post2;
};

// VCO within 750..1600 MHz: 12 x 125 = 1500, / 6 / 2 = 125; 12 x 100 = 1200, / 5 / 5 = 48.
constexpr Dividers system_dividers{125, 6, 2};
constexpr Dividers usb_dividers{100, 5, 5};
static_assert(crystal_mhz * system_dividers.feedback / system_dividers.post1 / system_dividers.post2 == system_mhz);
static_assert(crystal_mhz * usb_dividers.feedback / usb_dividers.post1 / usb_dividers.post2 == 48);

void start_pll(Address base, Dividers dividers) {
    reg(base + pll::cs) = 1; // reference divider
    reg(base + pll::fbdiv_int) = dividers.feedback;
    clear_bits(base + pll::pwr, pll::power_down | pll::vco_power_down);
    while ((reg(base + pll::cs) & pll::lock) == 0) {
    }
    reg(base + pll::prim) = dividers.post1 << 16 | dividers.post2 << 12;
    clear_bits(base + pll::pwr, pll::post_power_down);
}

} // namespace

void start_clocks() {
    reg(clocks::resus_ctrl) = 0;

    // 47 x 256 cycles of 12 MHz: 1 ms, as the crystal of the Pico needs.
    reg(xosc::startup) = 47;
    reg(xosc::ctrl) = xosc::enable_1_15mhz;
    while ((reg(xosc::status) & xosc::stable) == 0) {
    }

    // Switch away from the PLLs before they are stopped.
    reg(clocks::sys_ctrl) = clocks::sys_source_ref;
    while (reg(clocks::sys_selected) != 1u << clocks::sys_source_ref) {
    }
    reg(clocks::ref_ctrl) = clocks::ref_source_xosc;
    reg(clocks::ref_div) = clocks::divide_by_1;
    while (reg(clocks::ref_selected) != 1u << clocks::ref_source_xosc) {
    }

    // Required before the timer is used: this generates the microseconds of the timer and of the watchdog.
    reg(watchdog::tick) = watchdog::tick_enable | crystal_mhz;

    restart(resets::pll_sys | resets::pll_usb);
    start_pll(pll::sys, system_dividers);
    start_pll(pll::usb, usb_dividers);

    reg(clocks::sys_div) = clocks::divide_by_1;
    reg(clocks::sys_ctrl) = clocks::sys_source_aux; // auxiliary source 0 is selected already: PLL_SYS
    while (reg(clocks::sys_selected) != 1u << clocks::sys_source_aux) {
    }
    reg(clocks::peri_ctrl) = clocks::enable;
    reg(clocks::usb_div) = clocks::divide_by_1;
    reg(clocks::usb_ctrl) = clocks::enable;
    reg(clocks::adc_div) = clocks::divide_by_1;
    reg(clocks::adc_ctrl) = clocks::enable;

    restart(resets::io_bank0 | resets::pads_bank0 | resets::timer | resets::uart0 | resets::adc | resets::usb);
}

} // namespace mediarig::pico

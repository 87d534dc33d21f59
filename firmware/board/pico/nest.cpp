// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/pico/nest.hpp"

#include "firmware/board/pico/pads.hpp"

namespace mediarig::pico {
namespace {

/// Waits at least 1.3 us at 125 MHz: each round takes three cycles. Interrupts may extend the wait, because the clock
/// of an SD card may stop.
[[gnu::always_inline]] inline void half_a_clock() {
    unsigned rounds = 56;
    asm volatile("1: sub %0, #1\n\tbne 1b" : "+l"(rounds) : : "cc");
}

} // namespace

firmware::NestSample clock_nest(const firmware::NestBurst& burst) {
    firmware::NestSample sample{.clocks = burst.clocks};
    for (unsigned i = 0; i < burst.clocks; ++i) {
        const std::uint32_t mask = 1U << (31 - i);
        if (burst.drives) {
            // Set the level before enabling the output, to avoid a glitch.
            reg((burst.bits & mask) != 0 ? sio::out_set : sio::out_clear) = bit(pins::nest_cmd);
            if (i == 0) reg(sio::enable_set) = bit(pins::nest_cmd);
        }
        half_a_clock();
        const std::uint32_t seen = reg(sio::in);
        raise(pins::nest_clk);
        if ((seen & bit(pins::nest_cmd)) != 0) sample.command |= mask;
        if ((seen & bit(pins::nest_dat0)) != 0) sample.data |= mask;
        half_a_clock();
        lower(pins::nest_clk);
    }
    if (burst.drives) reg(sio::enable_clear) = bit(pins::nest_cmd);
    return sample;
}

} // namespace mediarig::pico

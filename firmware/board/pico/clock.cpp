// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/pico/clock.hpp"

#include "firmware/board/pico/chip/interrupts.hpp"
#include "firmware/core/io.hpp"

namespace mediarig::pico {
namespace {

constexpr std::uint32_t alarm0_bit = 1;
std::uint32_t next_tick; // written by the interrupt after it is enabled
volatile std::uint32_t ticks;
std::uint32_t ticks_seen; // written by the main context

} // namespace

std::uint64_t now_us() {
    for (;;) {
        const std::uint32_t high = reg(timer::raw_high);
        const std::uint32_t low = reg(timer::raw_low);
        if (reg(timer::raw_high) == high) return std::uint64_t{high} << 32 | low;
    }
}

extern "C" void tick_interrupt() {
    reg(timer::intr) = alarm0_bit;
    ticks = ticks + 1;
    next_tick += firmware::tick_us;
    reg(timer::alarm0) = next_tick;
    // An alarm set to a time in the past triggers only after the counter has wrapped: 71 minutes.
    if (static_cast<std::int32_t>(now_us_low() - next_tick) >= 0) {
        next_tick = now_us_low() + firmware::tick_us;
        reg(timer::alarm0) = next_tick;
    }
}

void start_tick() {
    next_tick = now_us_low() + firmware::tick_us;
    reg(timer::alarm0) = next_tick;
    set_bits(timer::inte, alarm0_bit);
    enable_interrupt(cortex::irq_tick, Priority::tick);
}

bool tick_is_due() {
    const std::uint32_t seen = ticks;
    if (seen == ticks_seen) return false;
    ticks_seen = seen;
    return true;
}

} // namespace mediarig::pico

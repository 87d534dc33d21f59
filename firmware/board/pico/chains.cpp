// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/pico/chains.hpp"

#include "firmware/board/pico/pads.hpp"

namespace mediarig::pico {
static_assert(pins::chain_bits == 24, "three registers each way");
namespace {

/// Waits at least 48 ns, including the stores around it. Both parts need less for set-up and pulse at 3.3 V. (The delay
/// of a 74HC165 from clock to output is at most 65 ns; more than 100 ns pass from the clock to the next read.)
[[gnu::always_inline]] inline void settle() {
    asm volatile("nop\n\tnop\n\tnop\n\tnop\n\tnop");
}

void pulse_latch() {
    lower(pins::chain_latch);
    settle();
    raise(pins::chain_latch);
    settle();
}

} // namespace

std::uint32_t exchange(std::uint32_t outputs) {
    // The low level loads the inputs; the rising edge also latches the current contents of the 595, which are already
    // on its outputs.
    pulse_latch();
    constexpr std::uint32_t top = 1u << (pins::chain_bits - 1);
    std::uint32_t seen = 0;
    for (unsigned n = 0; n < pins::chain_bits; ++n) {
        // Outputs: the last one of the last register first.
        reg((outputs & top) != 0 ? sio::out_set : sio::out_clear) = bit(pins::chain_out);
        outputs <<= 1;
        settle();
        // Inputs: the first register first, each from D7 on; the first bit is available before the first clock.
        seen = seen << 1 | (reg(sio::in) >> pins::chain_in & 1);
        raise(pins::chain_clk);
        settle();
        lower(pins::chain_clk);
    }
    pulse_latch();
    const std::uint32_t inputs = (seen >> 16 & 0xFF) | (seen & 0xFF00) | (seen & 0xFF) << 16;
    return inputs ^ pins::chain_inputs_active_low;
}

} // namespace mediarig::pico

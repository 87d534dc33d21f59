// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/pico/supervisor.hpp"

#include "firmware/board/pico/chip/interrupts.hpp"
#include "firmware/board/pico/chip/registers.hpp"
#include "firmware/board/pico/pads.hpp"
#include "firmware/board/pico/rom.hpp"

namespace mediarig::pico {
namespace {

// Scratch 4 to 7 belong to the boot ROM, which may also use the first ones for its USB loader.
constexpr Address scratch_mark = watchdog::scratch3;
constexpr std::uint32_t running_mark = 0x6D726967, request_mark = 0x72657175;

[[gnu::section(".noinit")]] std::uint32_t memory_mark;

// Erratum RP2040-E1: the counter decrements twice per microsecond.
constexpr std::uint32_t load_value = 2 * watchdog_us;
static_assert(load_value <= 0xFFFFFF);

} // namespace

void start_watchdog() {
    clear_bits(watchdog::ctrl, watchdog::enable);
    reg(watchdog::psm_wdsel) = watchdog::psm_all_but_oscillators;
    feed_watchdog();
    // The watchdog also runs while a debugger halts the core: a rig without running firmware must be reset in any case.
    reg(watchdog::ctrl) = watchdog::enable;
}

void feed_watchdog() {
    reg(watchdog::load) = load_value;
}

rigproto::ResetReason take_reset_reason() {
    const std::uint32_t mark = reg(scratch_mark);
    const std::uint32_t reason = reg(watchdog::reason);
    const bool memory_kept = memory_mark == running_mark;
    reg(scratch_mark) = running_mark;
    memory_mark = running_mark;
    if (mark == request_mark) return rigproto::ResetReason::request;
    if ((reason & watchdog::reason_timer) != 0) return rigproto::ResetReason::watchdog;
    if ((reason & watchdog::reason_forced) != 0) return rigproto::ResetReason::request;
    return memory_kept ? rigproto::ResetReason::brown_out : rigproto::ResetReason::power_on;
}

void enter_bootloader() {
    const AllInterruptsMasked masked;
    reg(sio::out_set) = direct_off;
    reg(scratch_mark) = request_mark;
    rom::reset_to_usb_boot();
    reg(watchdog::ctrl) = watchdog::trigger;
    for (;;) {
    }
}

} // namespace mediarig::pico

// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/pico/fast.hpp"

#include <atomic>

#include "firmware/board/pico/chip/interrupts.hpp"
#include "firmware/board/pico/clock.hpp"
#include "firmware/board/pico/pads.hpp"

namespace mediarig::pico {
namespace {

constexpr std::uint32_t alarm1_bit = 2;
firmware::Firmware* machine;
firmware::StepQueue* queue;
/// Owned by the interrupt while stepping, else by the main context; `stepping` transfers the ownership.
std::atomic<std::uint32_t> due;
std::atomic<bool> stepping; // set by the main context, cleared by the interrupt
volatile std::uint32_t dropped;

} // namespace

extern "C" MEDIARIG_RAM_INTERRUPT void step_interrupt() {
    reg(timer::intr) = alarm1_bit;
    clear_bits(timer::intf, alarm1_bit);
    firmware::MotorStep step;
    if (!queue->next(step)) {
        stepping.store(false, std::memory_order_release);
        return;
    }
    const bool x = step.axis == firmware::Axis::x;
    const std::uint32_t direction = bit(x ? pins::x_dir : pins::z_dir);
    const std::uint32_t pulse = bit(x ? pins::x_step : pins::z_step);
    reg(step.direction == firmware::Direction::away ? sio::out_set : sio::out_clear) = direction;
    // Drivers need 20 ns between direction and step, and a pulse of 100 ns: 13 cycles.
    asm volatile("nop\n\tnop\n\tnop");
    reg(sio::out_set) = pulse;
    // Set the next alarm relative to the last one, not to now, so that delays do not accumulate.
    const std::uint32_t next = due.load(std::memory_order_relaxed) + step.interval_us;
    due.store(next, std::memory_order_relaxed);
    reg(timer::alarm1) = next;
    if (static_cast<std::int32_t>(reg(timer::raw_low) - next) >= 0) {
        // An alarm in the past would trigger after 71 minutes. Trigger the interrupt at once instead.
        reg(timer::armed) = alarm1_bit;
        set_bits(timer::intf, alarm1_bit);
    }
    asm volatile("nop\n\tnop\n\tnop\n\tnop");
    reg(sio::out_clear) = pulse;
}

extern "C" MEDIARIG_RAM_INTERRUPT void safety_interrupt() {
    reg(sio::out_set) = direct_off;
    reg(io::intr(pins::safety_ok)) = io::edge_low(pins::safety_ok);
    dropped = dropped + 1;
    machine->safety_opened();
}

void start_fast_interrupts(firmware::Firmware& firmware) {
    machine = &firmware;
    queue = &firmware.steps();
    set_bits(timer::inte, alarm1_bit);
    enable_interrupt(cortex::irq_step, Priority::steps_and_safety);
    reg(io::intr(pins::safety_ok)) = io::edge_low(pins::safety_ok);
    set_bits(io::proc0_inte(pins::safety_ok), io::edge_low(pins::safety_ok));
    enable_interrupt(cortex::irq_io_bank0, Priority::steps_and_safety);
}

void start_steps_when_waiting() {
    if (stepping.load(std::memory_order_acquire) || !queue->waiting()) return;
    due.store(now_us_low(), std::memory_order_relaxed);
    stepping.store(true, std::memory_order_release);
    set_bits(timer::intf, alarm1_bit);
}

std::uint32_t drops() {
    return dropped;
}

void enable_outputs(bool outputs, bool motors, std::uint32_t known_drops) {
    const std::uint32_t wanted = (outputs ? bit(pins::out_en_n) : 0) | (outputs && motors ? bit(pins::mot_en_n) : 0);
    const AllInterruptsMasked masked;
    const bool allowed = dropped == known_drops && is_high(pins::safety_ok);
    reg(sio::out_set) = allowed ? direct_off & ~wanted : direct_off;
    if (allowed) reg(sio::out_clear) = wanted;
}

} // namespace mediarig::pico

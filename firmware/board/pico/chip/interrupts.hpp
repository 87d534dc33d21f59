// SPDX-License-Identifier: GPL-3.0-or-later
/// Interrupts of the processor: priorities, masking, waiting.
#pragma once

#include <cstdint>

#include "firmware/board/pico/chip/registers.hpp"

/// Places an interrupt handler in RAM with all called functions inlined: neither a miss of the flash cache nor a busy
/// flash delays it.
#define MEDIARIG_RAM_INTERRUPT __attribute__((section(".ramfunc"), flatten, noinline, used, optimize("O2")))

namespace mediarig::pico {

/// 0 is the most urgent. Steps and the safety chain share priority 0, so that neither interrupts the other.
enum class Priority : std::uint8_t { steps_and_safety = 0, tick = 1, links = 2 };

inline void enable_interrupt(unsigned irq, Priority priority) {
    const Address word = cortex::ipr + 4 * (irq / 4);
    const unsigned shift = 8 * (irq % 4) + 6;
    reg(word) = (reg(word) & ~(3u << shift)) | (static_cast<std::uint32_t>(priority) << shift);
    reg(cortex::icpr) = 1u << irq;
    reg(cortex::iser) = 1u << irq;
}

/// Masks all interrupts during its lifetime. Use it for a few instructions at most, because it delays steps.
class AllInterruptsMasked {
public:
    AllInterruptsMasked() { asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(before_) : : "memory"); }
    ~AllInterruptsMasked() { asm volatile("msr primask, %0" : : "r"(before_) : "memory"); }
    AllInterruptsMasked(const AllInterruptsMasked&) = delete;
    AllInterruptsMasked& operator=(const AllInterruptsMasked&) = delete;

private:
    std::uint32_t before_{};
};

/// Masks one interrupt during its lifetime.
class MaskedInterrupt {
public:
    explicit MaskedInterrupt(unsigned irq) : bit_(1u << irq) {
        reg(cortex::icer) = bit_;
        asm volatile("dsb\n\tisb" : : : "memory");
    }
    ~MaskedInterrupt() {
        asm volatile("" : : : "memory");
        reg(cortex::iser) = bit_;
    }
    MaskedInterrupt(const MaskedInterrupt&) = delete;
    MaskedInterrupt& operator=(const MaskedInterrupt&) = delete;

private:
    std::uint32_t bit_;
};

/// Sleeps until an interrupt was served; returns at once if one was served since the last call. (WFE latches an event,
/// WFI does not: with WFI, an interrupt between the last check of the rings and the sleep would be missed.)
inline void wait_for_interrupt() {
    asm volatile("wfe" : : : "memory");
}

} // namespace mediarig::pico

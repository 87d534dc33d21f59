// SPDX-License-Identifier: GPL-3.0-or-later
/// The processor's side of interrupts: priorities, masking, waiting.
#pragma once

#include <cstdint>

#include "firmware/board/pico/chip/registers.hpp"

/// In RAM, with all that it calls drawn into it: neither a miss of the flash cache nor a flash that is busy delays it.
#define MEDIARIG_RAM_INTERRUPT __attribute__((section(".ramfunc"), flatten, noinline, used, optimize("O2")))

namespace mediarig::pico {

/// 0 is the most urgent. Steps and the safety chain share it, so that neither interrupts the other.
enum class Priority : std::uint8_t { steps_and_safety = 0, tick = 1, links = 2 };

inline void enable_interrupt(unsigned irq, Priority priority) {
    const Address word = cortex::ipr + 4 * (irq / 4);
    const unsigned shift = 8 * (irq % 4) + 6;
    reg(word) = (reg(word) & ~(3u << shift)) | (static_cast<std::uint32_t>(priority) << shift);
    reg(cortex::icpr) = 1u << irq;
    reg(cortex::iser) = 1u << irq;
}

/// No interrupt at all while it lives. For a few instructions at most: steps wait.
class AllMasked {
public:
    AllMasked() { asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(before_) : : "memory"); }
    ~AllMasked() { asm volatile("msr primask, %0" : : "r"(before_) : "memory"); }
    AllMasked(const AllMasked&) = delete;
    AllMasked& operator=(const AllMasked&) = delete;

private:
    std::uint32_t before_{};
};

/// One interrupt does not come while it lives; all others do.
class Masked {
public:
    explicit Masked(unsigned irq) : bit_(1u << irq) {
        reg(cortex::icer) = bit_;
        asm volatile("dsb\n\tisb" : : : "memory");
    }
    ~Masked() {
        asm volatile("" : : : "memory");
        reg(cortex::iser) = bit_;
    }
    Masked(const Masked&) = delete;
    Masked& operator=(const Masked&) = delete;

private:
    std::uint32_t bit_;
};

/// Sleeps until an interrupt was served; not at all if one was since the last call. (WFE remembers, WFI does not: with
/// WFI, an interrupt between the last look at the rings and the sleep would be slept through.)
inline void wait_for_interrupt() {
    asm volatile("wfe" : : : "memory");
}

} // namespace mediarig::pico

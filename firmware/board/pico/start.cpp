// SPDX-License-Identifier: GPL-3.0-or-later
/// Starts the firmware after the second boot stage: sets up vector table, memory and stack, and calls main.
#include <array>
#include <cstdint>

#include "firmware/board/pico/chip/clocks.hpp"
#include "firmware/board/pico/chip/registers.hpp"
#include "firmware/board/pico/pads.hpp"

using Handler = void (*)();

extern "C" {
extern std::uint32_t data_begin, data_end, data_image, bss_begin, bss_end, stack_bottom, stack_top;
extern const Handler init_array_begin, init_array_end;

int main();
void tick_interrupt();
void step_interrupt();
void usb_interrupt();
void safety_interrupt();
void uart_interrupt();

/// Unrecoverable fault: switch the outputs off and wait for the watchdog, which records the reset.
[[noreturn, gnu::section(".from_flash")]] void fault_handler() {
    mediarig::pico::reg(mediarig::pico::sio::out_set) = mediarig::pico::direct_off;
    for (;;) {
    }
}
[[noreturn]] void reset_handler();
}

namespace {

constexpr std::size_t interrupts = 26, entries = 16 + interrupts;
/// Pattern of unused stack. A memory dump then shows the maximum depth of the stack.
constexpr std::uint32_t stack_paint = 0xC5C5C5C5;

struct VectorTable {
    std::uint32_t* stack;
    std::array<Handler, entries - 1> handlers;
};

constexpr std::array<Handler, entries - 1> handlers() {
    std::array<Handler, entries - 1> all{};
    all.fill(fault_handler);
    all[0] = reset_handler;
    const auto irq = [&](unsigned number) -> Handler& { return all[15 + number]; };
    irq(mediarig::pico::cortex::irq_tick) = tick_interrupt;
    irq(mediarig::pico::cortex::irq_step) = step_interrupt;
    irq(mediarig::pico::cortex::irq_usb) = usb_interrupt;
    irq(mediarig::pico::cortex::irq_io_bank0) = safety_interrupt;
    irq(mediarig::pico::cortex::irq_uart0) = uart_interrupt;
    return all;
}

[[gnu::section(".vectors"), gnu::used]] constinit const VectorTable vectors{&stack_top, handlers()};
alignas(256) [[gnu::section(".ram_vectors"), gnu::used]] VectorTable ram_vectors;

} // namespace

extern "C" [[gnu::section(".from_flash")]] void reset_handler() {
    std::uint32_t* here = nullptr;
    asm volatile("mov %0, sp" : "=r"(here));
    // Volatile: the compiler must not replace the loop by a call, whose frame would be overwritten.
    for (volatile std::uint32_t* word = &stack_bottom; word < here - 4; ++word) *word = stack_paint;

    // Start the clocks first: at the 6.5 MHz of the ring oscillator the copy would take a third of a second.
    mediarig::pico::start_clocks();
    // Also copies all code except this function and start_clocks(): no other function may be called before.
    const volatile std::uint32_t* from = &data_image;
    for (volatile std::uint32_t* to = &data_begin; to != &data_end; ++to) *to = *from++;
    for (volatile std::uint32_t* to = &bss_begin; to != &bss_end; ++to) *to = 0;

    ram_vectors = vectors;
    mediarig::pico::reg(mediarig::pico::cortex::vtor) = reinterpret_cast<std::uint32_t>(&ram_vectors);

    for (const Handler* constructor = &init_array_begin; constructor != &init_array_end; ++constructor)
        (*constructor)();
    main();
    fault_handler();
}

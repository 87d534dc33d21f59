// SPDX-License-Identifier: GPL-3.0-or-later
/// A small image with one defect at a time, selected by a macro, which the checks must find.
#include <cstdint>

extern "C" {
extern std::uint32_t stack_top;
void reset_handler();
void tick_interrupt() {}
void step_interrupt();
void safety_interrupt();
void usb_interrupt() {}
void uart_interrupt() {}
}

volatile std::uint32_t some = 7;
void (*volatile anything)() = tick_interrupt;

#ifdef CALLS_FLASH
[[gnu::section(".from_flash")]]
#endif
[[gnu::noinline]] void
in_flash() {
    some = 1;
}
#ifdef READS_FLASH
extern const std::uint32_t table[4];
[[gnu::section(".from_flash.table")]] const std::uint32_t table[4] = {1, 2, 3, 4};
#endif
#ifdef RECURSES
[[gnu::noinline]] std::uint32_t again(std::uint32_t n) {
    return n == 0 ? some : again(n - 1) * some + again(n / 2);
}
#endif
#ifdef FULL_RAM
[[gnu::used]] std::uint8_t much[33 * 1024];
#endif
#ifdef FULL_FLASH
[[gnu::used]] extern const std::uint8_t much[65 * 1024];
const std::uint8_t much[65 * 1024] = {1};
#endif

extern "C" [[gnu::section(".ramfunc"), gnu::used]] void step_interrupt() {
    some = some + 1;
#ifdef CALLS_FLASH
    in_flash();
#endif
#ifdef DIVIDES
    some = some / (some + 3);
#endif
#ifdef READS_FLASH
    some = table[some & 3U];
#endif
#ifdef CALLS_POINTER
    anything();
#endif
}

#ifdef IN_FLASH
[[gnu::section(".from_flash")]]
#endif
[[gnu::used]] void
safety_interrupt() {
    some = 0;
}

extern "C" [[gnu::section(".from_flash")]] void reset_handler() {
    in_flash();
#ifdef RECURSES
    again(some);
#endif
#ifdef DEEP_FRAME
    volatile std::uint8_t buffer[2000];
    for (volatile std::uint8_t& byte : buffer) byte = 1;
#endif
#ifdef UNBOUNDED
    volatile auto* area = static_cast<std::uint8_t*>(__builtin_alloca(some));
    area[0] = 1;
#endif
    for (;;) some = some + 1;
}

[[gnu::section(".vectors"), gnu::used]] const struct {
    std::uint32_t* stack;
    void (*handlers[5])();
} vectors = {&stack_top,
             {reset_handler, step_interrupt, tick_interrupt,
#ifdef NO_VECTOR
              tick_interrupt,
#else
              safety_interrupt,
#endif
              usb_interrupt}};
[[gnu::used]] void (*const kept)() = uart_interrupt;

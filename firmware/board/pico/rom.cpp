// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/pico/rom.hpp"

namespace mediarig::pico::rom {
namespace {

template <class Value>
Value at(std::uint32_t address) {
    // The ROM begins at 0; without this line the compiler treats every read from it as a read through a null pointer.
    asm("" : "+r"(address));
    return *reinterpret_cast<const volatile Value*>(address);
}

bool present() {
    return at<std::uint8_t>(0x10) == 'M' && at<std::uint8_t>(0x11) == 'u' && at<std::uint8_t>(0x12) == 1;
}

} // namespace

Function find(char first, char second) {
    if (!present()) return nullptr;
    using Lookup = void* (*)(const std::uint16_t* table, std::uint32_t code);
    const auto* table = reinterpret_cast<const std::uint16_t*>(std::uint32_t{at<std::uint16_t>(0x14)});
    const auto lookup = reinterpret_cast<Lookup>(std::uint32_t{at<std::uint16_t>(0x18)});
    const auto code = static_cast<std::uint32_t>(first) | static_cast<std::uint32_t>(second) << 8;
    return reinterpret_cast<Function>(lookup(table, code));
}

void reset_to_usb_boot() {
    using Reset = void (*)(std::uint32_t activity_pins, std::uint32_t disabled_interfaces);
    if (const Function found = find('U', 'B')) reinterpret_cast<Reset>(found)(0, 0);
}

} // namespace mediarig::pico::rom

// SPDX-License-Identifier: GPL-3.0-or-later
/// Functions of the boot ROM (datasheet 2.8.3), identified by two letters. Without a ROM no function is found.
#pragma once

#include <cstdint>

namespace mediarig::pico::rom {

using Function = void (*)();

/// Returns null if the ROM is missing or does not have the function.
[[nodiscard]] Function find(char first, char second);

/// Starts the USB loader of the boot ROM. Returns only if the ROM has no such function.
void reset_to_usb_boot();

} // namespace mediarig::pico::rom

// SPDX-License-Identifier: GPL-3.0-or-later
/// Functions of the boot ROM (datasheet 2.8.3), identified by two letters. Without a ROM none is found.
#pragma once

#include <cstdint>

namespace mediarig::pico::rom {

using Function = void (*)();

/// Returns null if the ROM does not have the function, or is missing.
[[nodiscard]] Function find(char first, char second);

/// Returns only if the ROM does not support it.
void reset_to_usb_boot();

} // namespace mediarig::pico::rom

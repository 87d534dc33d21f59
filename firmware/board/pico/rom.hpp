// SPDX-License-Identifier: GPL-3.0-or-later
/// Functions of the boot ROM (datasheet 2.8.3), found by their two letters. Where there is no ROM, nothing is found.
#pragma once

#include <cstdint>

namespace mediarig::pico::rom {

using Function = void (*)();

/// Null when this chip's ROM has no such function, or is not there.
[[nodiscard]] Function find(char first, char second);

/// Returns only when the ROM cannot do it.
void reset_to_usb_boot();

} // namespace mediarig::pico::rom

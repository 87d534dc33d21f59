// SPDX-License-Identifier: GPL-3.0-or-later
/// Three 74HC595 and three 74HC165 on a shared shift clock, moved by software. Order of bits:
/// docs/development/firmware.md.
#pragma once

#include <cstdint>

namespace mediarig::pico {

/// Takes a fresh look at the inputs and makes the outputs say `outputs`, bit n: OUTn. Returns the inputs, bit n: INn,
/// with those that are active low turned, so that 1 always means "yes". About 5 us.
[[nodiscard]] std::uint32_t exchange(std::uint32_t outputs);

} // namespace mediarig::pico

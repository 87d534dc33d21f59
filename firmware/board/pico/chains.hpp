// SPDX-License-Identifier: GPL-3.0-or-later
/// Drives three 74HC595 and three 74HC165, which share one shift clock, in software. docs/development/firmware.md gives
/// the order of bits.
#pragma once

#include <cstdint>

namespace mediarig::pico {

/// Samples the inputs and sets the outputs to `outputs`, bit n: OUTn. Returns the inputs, bit n: INn, with active-low
/// ones inverted, so that 1 always means "yes". Takes about 5 us.
[[nodiscard]] std::uint32_t exchange(std::uint32_t outputs);

} // namespace mediarig::pico

// SPDX-License-Identifier: GPL-3.0-or-later
/// Drives the lines of the identity nest in software: CLK and CMD are outputs, CMD and DAT0 are inputs.
#pragma once

#include "firmware/core/io.hpp"

namespace mediarig::pico {

/// Generates the burst's clocks, each of 3 us, and returns the levels of the lines at their rising edges: 100 us for
/// 32. Without supply, and after each burst, the clock is low and CMD is not driven.
[[nodiscard]] firmware::NestSample clock_nest(const firmware::NestBurst& burst);

} // namespace mediarig::pico

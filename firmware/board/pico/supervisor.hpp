// SPDX-License-Identifier: GPL-3.0-or-later
/// Watchdog, the reason of the last reset, and resets on purpose.
#pragma once

#include <cstdint>

#include "common/rigproto/messages.hpp"

namespace mediarig::pico {

/// A hang makes outputs safe within this: the reset lets go of all pins, and pulls do the rest.
inline constexpr std::uint32_t watchdog_us = 500'000;

void start_watchdog();
void feed_watchdog();

/// Once, at start. The watchdog leaves its mark. A supply that was away clears the scratch registers; if memory still
/// holds what the last run left there, it was a brown-out (or the RUN button, which looks the same), else a power-on.
[[nodiscard]] rigproto::ResetReason take_reset_reason();

/// Outputs off, then into the boot ROM's USB loader. Where there is no such ROM, a reset. The next start says
/// "request".
[[noreturn]] void enter_bootloader();

} // namespace mediarig::pico

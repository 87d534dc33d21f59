// SPDX-License-Identifier: GPL-3.0-or-later
/// Watchdog, the reason of the last reset, and intended resets.
#pragma once

#include <cstdint>

#include "common/rigproto/messages.hpp"

namespace mediarig::pico {

/// Maximum time until a hang makes the outputs safe: the reset releases all pins, and pulls set the levels.
inline constexpr std::uint32_t watchdog_us = 500'000;

void start_watchdog();
void feed_watchdog();

/// Call once, at start. A watchdog reset leaves a mark in its registers. A power loss clears the scratch registers; if
/// memory still contains the data of the last run, it was a brown-out (or the RUN button, which has the same effect),
/// else a power-on.
[[nodiscard]] rigproto::ResetReason take_reset_reason();

/// Switches the outputs off, then enters the boot ROM's USB loader; resets if there is no such ROM. The next start
/// reports "request".
[[noreturn]] void enter_bootloader();

} // namespace mediarig::pico

// SPDX-License-Identifier: GPL-3.0-or-later
/// Interrupts that must not wait for flash: steps, and switching off all outputs when the safety chain opens.
#pragma once

#include <cstdint>

#include "firmware/core/firmware.hpp"

namespace mediarig::pico {

/// Both interrupts use `firmware` from now on.
void start_fast_interrupts(firmware::Firmware& firmware);

/// Call after each tick: starts the step timer if it is stopped and there are steps to make.
void start_steps_when_waiting();

/// Number of times that the safety chain has switched the outputs off.
[[nodiscard]] std::uint32_t drops();

/// Enables outputs and motors, unless the chain is open or `drops()` differs from `known_drops`: a decision made before
/// a drop must not undo it.
void enable_outputs(bool outputs, bool motors, std::uint32_t known_drops);

} // namespace mediarig::pico

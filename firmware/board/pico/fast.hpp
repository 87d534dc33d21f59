// SPDX-License-Identifier: GPL-3.0-or-later
/// What must not wait for flash: steps, and the drop of all outputs when the safety chain opens.
#pragma once

#include <cstdint>

#include "firmware/core/firmware.hpp"

namespace mediarig::pico {

/// Both interrupts work on `firmware` from now on.
void start_fast_interrupts(firmware::Firmware& firmware);

/// After each tick: gets the step timer going when it stands still and there are steps to make.
void start_steps_when_waiting();

/// How often the safety chain has dropped the outputs.
[[nodiscard]] std::uint32_t drops();

/// Lets outputs and motors on, unless the chain is open, or has dropped them since `drops()` said `known_drops`: what
/// was decided before a drop must not undo it.
void enable_outputs(bool outputs, bool motors, std::uint32_t known_drops);

} // namespace mediarig::pico

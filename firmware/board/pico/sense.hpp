// SPDX-License-Identifier: GPL-3.0-or-later
/// What is measured: voltage and current of the ports through two 74HC4051, the vacuum, and the current of the nest.
/// Scales are those of the parts in docs/guide/build-a-rig.md, with the 3.3 V supply as reference.
#pragma once

#include <cstdint>
#include <optional>

#include "firmware/core/io.hpp"

namespace mediarig::pico {

void start_adc();

/// Turns both multiplexers to the port, so that `measure_port` finds them settled when it comes in the next tick.
void select_port(unsigned port);

/// Selects the port unless it is, waits until the filters behind the multiplexers have settled, converts twice.
/// About 5 us, or 10 when it has to wait.
/// Nothing when the converter reports an error.
[[nodiscard]] std::optional<firmware::PortSample> measure_port(unsigned port);

/// Converts while the caller does something else. Nothing else may be measured until `fetch_vacuum_or_nest`.
void begin_vacuum_or_nest();
/// Millivolts of the pressure sensor, or of the amplifier in the nest's supply, as NEST_SENSE chose; nothing when the
/// converter reports an error.
[[nodiscard]] std::optional<std::uint16_t> fetch_vacuum_or_nest();

} // namespace mediarig::pico

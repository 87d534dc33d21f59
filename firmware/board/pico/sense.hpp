// SPDX-License-Identifier: GPL-3.0-or-later
/// Measures the voltage and current of the ports through two 74HC4051, the vacuum, and the current of the nest. The
/// scales are those of the parts in docs/guide/build-a-rig.md, with the 3.3 V supply as reference.
#pragma once

#include <cstdint>
#include <optional>

#include "firmware/core/io.hpp"

namespace mediarig::pico {

void start_adc();

/// Switches both multiplexers to the port, so that they have settled before `measure_port` in the next tick.
void select_port(unsigned port);

/// Selects the port if necessary, waits until the filters after the multiplexers have settled, converts twice. Takes
/// about 5 us, or 10 if it has to wait. Returns nothing if the converter reports an error.
[[nodiscard]] std::optional<firmware::PortSample> measure_port(unsigned port);

/// Starts a conversion in the background. No other measurement is allowed until `fetch_vacuum_or_nest`.
void begin_vacuum_or_nest();
/// Returns the millivolts of the pressure sensor, or of the amplifier in the nest's supply, as selected by NEST_SENSE;
/// nothing if the converter reports an error.
[[nodiscard]] std::optional<std::uint16_t> fetch_vacuum_or_nest();

} // namespace mediarig::pico

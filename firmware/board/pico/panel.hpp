// SPDX-License-Identifier: GPL-3.0-or-later
/// Connects the core's values to the pins: reads Inputs and applies Outputs.
#pragma once

#include <cstdint>

#include "firmware/core/io.hpp"

namespace mediarig::pico {

class Panel {
public:
    /// Clears the registers of the output chain, whose contents are random at power-on; outputs stay disabled.
    Panel();

    /// Takes about 15 us, plus 5 to 10 for each port in `sample`.
    [[nodiscard]] firmware::Inputs read(std::uint8_t sample);

    /// Also generates the clocks for the nest: 3 us each, at most 32. `known_drops`: value of drops() before the inputs
    /// were read; see enable_outputs.
    void apply(const firmware::Outputs& outputs, std::uint32_t known_drops);

private:
    std::uint32_t chain_{}; ///< current contents of the output chain
    std::uint16_t vacuum_mv_{};
    firmware::NestSample nest_; ///< levels during the newest burst
};

} // namespace mediarig::pico

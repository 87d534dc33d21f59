// SPDX-License-Identifier: GPL-3.0-or-later
/// Between the core's values and the pins: reads Inputs, and makes the pins say what Outputs say.
#pragma once

#include <cstdint>

#include "firmware/core/io.hpp"

namespace mediarig::pico {

class Panel {
public:
    /// Clears the registers behind the output chain, which come up with anything in them; outputs stay cut off.
    Panel();

    /// About 15 us, and 5 to 10 more for each port in `sample`.
    [[nodiscard]] firmware::Inputs read(std::uint8_t sample);

    /// Also makes the clocks that the nest is to have: 3 us each, 32 at most.
    /// `known_drops` as of before the inputs were read: see enable_outputs.
    void apply(const firmware::Outputs& outputs, std::uint32_t known_drops);

private:
    std::uint32_t chain_{}; ///< what the output chain shows
    std::uint16_t vacuum_mv_{};
    firmware::NestSample nest_; ///< of the newest burst
};

} // namespace mediarig::pico

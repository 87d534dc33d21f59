// SPDX-License-Identifier: GPL-3.0-or-later
/// Majority of the last three samples of an input. A spike on a wire lasts less than one tick, so it is in one sample.
#pragma once

#include <cstdint>

namespace mediarig::firmware {

class TwoOfThree {
public:
    /// Adds a sample and returns the majority. Samples before the first one count as false.
    constexpr bool tick(bool sample) {
        newest_ = static_cast<std::uint8_t>((newest_ << 1U | (sample ? 1U : 0U)) & 0b111U);
        return value();
    }
    constexpr void reset() { newest_ = 0; }
    [[nodiscard]] constexpr bool value() const { return newest_ == 0b011 || newest_ == 0b101 || newest_ >= 0b110; }

private:
    std::uint8_t newest_{}; // bit 0: newest sample
};

} // namespace mediarig::firmware

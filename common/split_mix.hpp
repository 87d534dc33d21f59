// SPDX-License-Identifier: GPL-3.0-or-later
/// Generates pseudo-random numbers from one seed.
#pragma once

#include <cstdint>

namespace mediarig {

/// SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
class SplitMix {
public:
    explicit constexpr SplitMix(std::uint64_t seed) : state_(seed) {}
    constexpr std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_;
};

} // namespace mediarig

// SPDX-License-Identifier: GPL-3.0-or-later
/// Computes a hash of a model's state (FNV-1a, 64 bit). Two runs of the same scenario must have the same hash.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace mediarig::plant {

class StateHash {
public:
    template <class T>
    requires(std::integral<T> || std::is_enum_v<T>) void add(T value) { mix(static_cast<std::uint64_t>(value)); }
    void add(double value) { mix(std::bit_cast<std::uint64_t>(value)); }
    [[nodiscard]] std::uint64_t value() const { return hash_; }

private:
    void mix(std::uint64_t word) {
        for (int i = 0; i < 8; ++i, word >>= 8U) {
            hash_ ^= word & 0xFFU;
            hash_ *= 0x0000'0100'0000'01B3U;
        }
    }
    std::uint64_t hash_{0xCBF2'9CE4'8422'2325U};
};

/// Returns a pseudo-random number that depends only on `seed` (the finaliser of splitmix64).
[[nodiscard]] constexpr std::uint64_t scatter(std::uint64_t seed) {
    seed += 0x9E37'79B9'7F4A'7C15U;
    seed = (seed ^ (seed >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
    seed = (seed ^ (seed >> 27U)) * 0x94D0'49BB'1331'11EBU;
    return seed ^ (seed >> 31U);
}

} // namespace mediarig::plant

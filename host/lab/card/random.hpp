// SPDX-License-Identifier: GPL-3.0-or-later
/// Random choices that depend only on the start value.
#pragma once

#include <cstdint>

#include "common/split_mix.hpp"

namespace mediarig::lab {

/// Purpose of a draw. Each purpose has its own sequence, so an additional draw for one purpose does not change the
/// others.
enum class Purpose : std::uint64_t { collection = 1, rotation, loss, garbage, weak_sector, flipped_bits, damage };

/// Returns the sequence for one purpose and one object of it (a sector, the number of a power cut).
[[nodiscard]] constexpr SplitMix sequence(std::uint64_t start_value, Purpose purpose, std::uint64_t thing = 0) {
    // Mix twice: adjacent objects must not get shifted copies of one sequence.
    SplitMix outer(start_value ^ (static_cast<std::uint64_t>(purpose) << 56U));
    SplitMix inner(outer.next() ^ thing);
    return SplitMix(inner.next());
}

/// Returns a value in [0, 1).
[[nodiscard]] constexpr double fraction(SplitMix& draws) {
    return static_cast<double>(draws.next() >> 11U) * 0x1p-53;
}

} // namespace mediarig::lab

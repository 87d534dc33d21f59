// SPDX-License-Identifier: GPL-3.0-or-later
/// Choices that follow from a start value, and from nothing else.
#pragma once

#include <cstdint>

#include "common/split_mix.hpp"

namespace mediarig::lab {

/// What a draw is for: each purpose has a sequence of its own, so that one more of one kind leaves the others alone.
enum class Purpose : std::uint64_t { collection = 1, rotation, loss, garbage, weak_sector, flipped_bits, damage };

/// A sequence for one purpose, and for one thing within it (a sector, the number of a power cut).
[[nodiscard]] constexpr SplitMix sequence(std::uint64_t start_value, Purpose purpose, std::uint64_t thing = 0) {
    // Mixed twice, because neighbouring things must not give shifted copies of one sequence.
    SplitMix outer(start_value ^ (static_cast<std::uint64_t>(purpose) << 56U));
    SplitMix inner(outer.next() ^ thing);
    return SplitMix(inner.next());
}

/// 0 … 1, without 1.
[[nodiscard]] constexpr double fraction(SplitMix& draws) {
    return static_cast<double>(draws.next() >> 11U) * 0x1p-53;
}

} // namespace mediarig::lab

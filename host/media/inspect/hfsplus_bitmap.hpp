// SPDX-License-Identifier: GPL-3.0-or-later
/// Bitmaps of blocks and nodes in HFS+ order: the most significant bit of a byte comes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/media/inspect/hfsplus.hpp"

namespace mediarig::media::hfsplus {

/// Sets the bits [first, end); needs end <= 8 * bits.size().
void set_bits(std::span<std::byte> bits, std::uint64_t first, std::uint64_t end);
/// Value of the bit `index`. Needs index < 8 * bits.size().
[[nodiscard]] bool bit(std::span<const std::byte> bits, std::uint64_t index);

/// The bits [first, first + 8 * bytes) of a bitmap in which exactly `runs` are set. `runs` may be in any order.
[[nodiscard]] std::vector<std::byte> bits_of(std::span<const HfsPlusExtent> runs, std::uint64_t first,
                                             std::size_t bytes);

} // namespace mediarig::media::hfsplus

// SPDX-License-Identifier: GPL-3.0-or-later
/// Latencies as variable-length integers: 7 bits a byte, least significant first, the high bit says "more follows".
/// A latency below 2 ms takes three bytes. Used on the wire and for chunks in the store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mediarig::measure {

inline constexpr std::size_t samples_per_chunk = 8192;

/// Appends to `out`, so that one buffer can be used again for each chunk.
void encode_varints(std::span<const std::uint32_t> samples, std::vector<std::uint8_t>& out);
/// Nothing if the bytes end in the middle of a number, a number exceeds 32 bits, or there are more than `most`.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> decode_varints(std::span<const std::uint8_t> bytes,
                                                                       std::size_t most = samples_per_chunk);

} // namespace mediarig::measure

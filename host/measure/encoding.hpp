// SPDX-License-Identifier: GPL-3.0-or-later
/// Latencies as variable-length integers: 7 bits per byte, least significant first; the high bit means "more follows".
/// A latency below 2 ms takes three bytes. Used on the wire and for chunks in the store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mediarig::measure {

inline constexpr std::size_t samples_per_chunk = 8192;

/// Appends to `out`, so one buffer can be reused for each chunk.
void encode_varints(std::span<const std::uint32_t> samples, std::vector<std::uint8_t>& out);
/// Returns nothing if the bytes end in the middle of a number, a number exceeds 32 bits, or there are more than `most`.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> decode_varints(std::span<const std::uint8_t> bytes,
                                                                       std::size_t most = samples_per_chunk);

/// Appends `bytes` to `out` in base64 with padding (RFC 4648, section 4), the form of sample chunks in JSON
/// ("varint-base64").
void encode_base64(std::span<const std::uint8_t> bytes, std::string& out);
/// Returns nothing if the length is no multiple of four, a character is not in the alphabet, or unused bits are not 0.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> decode_base64(std::string_view text);

} // namespace mediarig::measure

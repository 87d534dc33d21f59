// SPDX-License-Identifier: GPL-3.0-or-later
/// Bytes as text (RFC 4648, section 4, with padding): how chunks of samples travel in JSON, "varint-base64".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mediarig::measure {

/// Appends to `out`.
void encode_base64(std::span<const std::uint8_t> bytes, std::string& out);
/// Nothing if the length is no multiple of four, a character is none of the alphabet, or bits are left over that no
/// encoder writes.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> decode_base64(std::string_view text);

} // namespace mediarig::measure

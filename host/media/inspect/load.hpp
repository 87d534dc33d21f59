// SPDX-License-Identifier: GPL-3.0-or-later
/// Loads integers and short texts from raw bytes, independent of the byte order of this machine.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mediarig::media {

using Raw = std::span<const std::byte>;

/// Little-endian integer; needs offset + sizeof(T) <= raw.size().
template <std::unsigned_integral T>
[[nodiscard]] constexpr T load_le(Raw raw, std::size_t offset) {
    T value = 0;
    for (std::size_t i = sizeof(T); i-- > 0;)
        value = static_cast<T>((std::uint64_t{value} << 8) | std::to_integer<std::uint64_t>(raw[offset + i]));
    return value;
}

/// Big-endian integer; needs offset + sizeof(T) <= raw.size().
template <std::unsigned_integral T>
[[nodiscard]] constexpr T load_be(Raw raw, std::size_t offset) {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        value = static_cast<T>((std::uint64_t{value} << 8) | std::to_integer<std::uint64_t>(raw[offset + i]));
    return value;
}

/// True if `raw` contains `bytes` at the offset; false if `raw` is too short.
[[nodiscard]] bool holds(Raw raw, std::size_t offset, std::string_view bytes);

/// Converts UTF-16LE to UTF-8, up to a NUL or the end; a lone surrogate or a control character becomes U+FFFD, because
/// media may contain any bytes.
[[nodiscard]] std::string text_from_utf16(Raw utf16);
/// Text up to a NUL or the end; invalid UTF-8 and control characters become U+FFFD.
[[nodiscard]] std::string text_from_utf8(Raw utf8);
/// "c12a7328-f81f-11d2-ba4b-00a0c93ec93b" from the mixed-endian form of GPT and exFAT; needs 16 bytes.
[[nodiscard]] std::string guid_text(Raw mixed_endian);
/// Like guid_text(), for bytes in text order, as in APFS; needs 16 bytes.
[[nodiscard]] std::string uuid_text(Raw in_order);
[[nodiscard]] bool all_equal(Raw raw, std::byte value);

} // namespace mediarig::media

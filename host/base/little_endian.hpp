// SPDX-License-Identifier: GPL-3.0-or-later
/// Numbers and texts in records that are stored as bytes, with the least significant byte first.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>

namespace mediarig {

/// Requires `at` + size of the number <= size of `to`.
template <std::unsigned_integral Number>
void put_le(std::span<std::byte> to, std::size_t at, Number number) {
    for (std::size_t i = 0; i < sizeof number; ++i) to[at + i] = static_cast<std::byte>(number >> (8 * i));
}
template <std::unsigned_integral Number>
[[nodiscard]] Number get_le(std::span<const std::byte> from, std::size_t at) {
    Number number{};
    for (std::size_t i = 0; i < sizeof number; ++i)
        number |= static_cast<Number>(static_cast<Number>(from[at + i]) << (8 * i));
    return number;
}

inline void put_text(std::span<std::byte> to, std::size_t at, std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) to[at + i] = static_cast<std::byte>(text[i]);
}
/// Requires text.size() <= bytes.size().
[[nodiscard]] inline bool begins_with(std::span<const std::byte> bytes, std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i)
        if (bytes[i] != static_cast<std::byte>(text[i])) return false;
    return true;
}

} // namespace mediarig

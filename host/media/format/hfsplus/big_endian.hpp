// SPDX-License-Identifier: GPL-3.0-or-later
/// Stores big-endian values: HFS+ is big-endian on every machine.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace mediarig::media::hfsplus {

/// Needs offset + sizeof(T) <= bytes.size().
template <std::unsigned_integral T>
constexpr void store_be(std::span<std::byte> bytes, std::size_t offset, T value) {
    for (std::size_t i = sizeof(T); i-- > 0;) {
        bytes[offset + i] = static_cast<std::byte>(value & 0xFF);
        value = static_cast<T>(std::uint64_t{value} >> 8);
    }
}

/// A buffer that grows at its end, for records of variable length.
class BigEndianBytes {
public:
    template <std::unsigned_integral T>
    BigEndianBytes& add(T value) {
        bytes_.resize(bytes_.size() + sizeof(T));
        store_be(std::span(bytes_), bytes_.size() - sizeof(T), value);
        return *this;
    }
    BigEndianBytes& zeros(std::size_t count) {
        bytes_.resize(bytes_.size() + count);
        return *this;
    }
    BigEndianBytes& units(std::u16string_view text) {
        for (const char16_t unit : text) add(static_cast<std::uint16_t>(unit));
        return *this;
    }
    [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

} // namespace mediarig::media::hfsplus

// SPDX-License-Identifier: GPL-3.0-or-later
/// Types for amounts, positions and rates, so that error-prone arithmetic is written only once.
///
/// Two conventions are common in this field and must not be mixed:
///   - rates are decimal: 1 MB/s is 10^6 bytes per second, as printed on the box;
///   - transfer sizes are binary: the "4 KB" of a block-size table is 4 * 2^10 bytes.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

namespace mediarig {

/// An amount of data; no implicit conversion from or to integers.
struct Bytes {
    std::uint64_t count{};
    constexpr auto operator<=>(const Bytes&) const = default;
    constexpr Bytes& operator+=(Bytes other) {
        count += other.count;
        return *this;
    }
    constexpr Bytes& operator-=(Bytes other) {
        count -= other.count;
        return *this;
    }
};

constexpr Bytes operator+(Bytes a, Bytes b) {
    return {a.count + b.count};
}
/// Needs a >= b.
constexpr Bytes operator-(Bytes a, Bytes b) {
    return {a.count - b.count};
}
constexpr Bytes operator*(Bytes a, std::uint64_t n) {
    return {a.count * n};
}
/// Number of whole `b` in `a`; needs b > 0.
constexpr std::uint64_t operator/(Bytes a, Bytes b) {
    return a.count / b.count;
}
/// Remainder of `a` after whole `b`; needs b > 0.
constexpr Bytes operator%(Bytes a, Bytes b) {
    return {a.count % b.count};
}

constexpr Bytes operator""_B(unsigned long long n) {
    return {n};
}
constexpr Bytes operator""_KiB(unsigned long long n) {
    return {n << 10};
}
constexpr Bytes operator""_MiB(unsigned long long n) {
    return {n << 20};
}
constexpr Bytes operator""_GiB(unsigned long long n) {
    return {n << 30};
}

/// The largest multiple of `unit` that is <= `amount`; needs unit > 0.
constexpr Bytes align_down(Bytes amount, Bytes unit) {
    return amount - amount % unit;
}
/// The smallest multiple of `unit` that is >= `amount`; needs unit > 0 and a result below 2^64.
constexpr Bytes align_up(Bytes amount, Bytes unit) {
    return align_down({amount.count + unit.count - 1}, unit);
}

/// Sector number, not a byte offset.
struct Lba {
    std::uint64_t index{};
    constexpr auto operator<=>(const Lba&) const = default;
};

/// Byte offset of a sector; `sector_size` is 512 or 4096 on every known medium.
constexpr Bytes byte_offset(Lba lba, Bytes sector_size) {
    return sector_size * lba.index;
}
/// Sector that contains the byte at `offset`; needs sector_size > 0.
constexpr Lba sector_of(Bytes offset, Bytes sector_size) {
    return {offset / sector_size};
}

/// A slot of the magazine or of the rig's station; 1-based, as engraved.
struct SlotId {
    std::uint8_t number{};
    constexpr auto operator<=>(const SlotId&) const = default;
};

/// Throughput, stored in bytes per second; MB/s is only for display.
struct Rate {
    double bytes_per_second{};
    constexpr auto operator<=>(const Rate&) const = default;
    /// Decimal, as on the box: 1 MB/s = 1 000 000 B/s.
    [[nodiscard]] constexpr double megabytes_per_second() const { return bytes_per_second / 1e6; }
    /// Binary: 1 MiB/s = 1 048 576 B/s. Some published tables use it and call it MB.
    [[nodiscard]] constexpr double mebibytes_per_second() const { return bytes_per_second / 1048576.0; }
};

/// Amount over time; needs elapsed > 0.
constexpr Rate rate_of(Bytes moved, std::chrono::nanoseconds elapsed) {
    return {static_cast<double>(moved.count) * 1e9 / static_cast<double>(elapsed.count())};
}
/// Operations per second; needs elapsed > 0.
constexpr double operations_per_second(std::uint64_t operations, std::chrono::nanoseconds elapsed) {
    return static_cast<double>(operations) * 1e9 / static_cast<double>(elapsed.count());
}

} // namespace mediarig

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/hfsplus_bitmap.hpp"

#include <algorithm>

namespace mediarig::media::hfsplus {

void set_bits(std::span<std::byte> bits, std::uint64_t first, std::uint64_t end) {
    for (std::uint64_t at = first; at < end;) {
        if (at % 8 == 0 && end - at >= 8) {
            const std::uint64_t whole = (end - at) / 8;
            std::fill_n(bits.begin() + static_cast<std::ptrdiff_t>(at / 8), whole, std::byte{0xFF});
            at += whole * 8;
        } else {
            bits[at / 8] |= std::byte{0x80} >> static_cast<int>(at % 8);
            ++at;
        }
    }
}

bool bit(std::span<const std::byte> bits, std::uint64_t index) {
    return (bits[index / 8] & (std::byte{0x80} >> static_cast<int>(index % 8))) != std::byte{0};
}

std::vector<std::byte> bits_of(std::span<const HfsPlusExtent> runs, std::uint64_t first, std::size_t bytes) {
    std::vector<std::byte> bits(bytes);
    const std::uint64_t end = first + bytes * 8;
    for (const HfsPlusExtent& run : runs) {
        const std::uint64_t from = std::max<std::uint64_t>(run.start, first);
        const std::uint64_t until = std::min<std::uint64_t>(std::uint64_t{run.start} + run.count, end);
        if (from < until) set_bits(bits, from - first, until - first);
    }
    return bits;
}

} // namespace mediarig::media::hfsplus

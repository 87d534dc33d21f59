// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/payload/payload.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace mediarig::workload {

PayloadSource::PayloadSource(const Payload& payload, std::uint32_t generation)
    : kind_(payload.kind), pattern_(payload.seed, generation), given_(payload.given) {}

void PayloadSource::fill(std::span<std::byte> buffer, std::uint64_t offset) const {
    switch (kind_) {
        case PayloadKind::zeros:
            std::memset(buffer.data(), 0, buffer.size());
            return;
        case PayloadKind::given:
            fill_given(buffer, offset);
            return;
        case PayloadKind::incompressible:
            break;
    }
    const std::size_t whole = buffer.size() / Pattern::sector_size * Pattern::sector_size;
    pattern_.fill(buffer.first(whole), offset);
    if (whole == buffer.size()) return;
    // Through the page cache a block need not be a multiple of a sector. The remainder is the first part of a sector.
    std::array<std::byte, Pattern::sector_size> last;
    pattern_.fill(last, offset + whole);
    std::memcpy(buffer.data() + whole, last.data(), buffer.size() - whole);
}

void PayloadSource::fill_given(std::span<std::byte> buffer, std::uint64_t offset) const {
    std::size_t phase = static_cast<std::size_t>(offset % given_.size());
    for (std::size_t at = 0; at < buffer.size();) {
        const std::size_t run = std::min(given_.size() - phase, buffer.size() - at);
        std::memcpy(buffer.data() + at, given_.data() + phase, run);
        at += run;
        phase = 0;
    }
    for (std::size_t at = 0; at + Pattern::cell_size <= buffer.size(); at += Pattern::sector_size) {
        const Pattern::Block stamp = pattern_.make_cell(offset + at);
        std::memcpy(buffer.data() + at, stamp.data(), stamp.size());
    }
}

bool PayloadSource::matches(std::span<const std::byte> buffer, std::uint64_t offset) const {
    if (kind_ == PayloadKind::incompressible) return pattern_.matches(buffer, offset);
    std::array<std::byte, Pattern::sector_size> expected;
    for (std::size_t at = 0; at < buffer.size(); at += expected.size()) {
        fill(expected, offset + at);
        if (std::memcmp(buffer.data() + at, expected.data(), expected.size()) != 0) return false;
    }
    return true;
}

Pattern::Diagnosis PayloadSource::diagnose(std::span<const std::byte, Pattern::sector_size> sector,
                                           std::uint64_t offset) const {
    if (kind_ == PayloadKind::incompressible) return pattern_.diagnose(sector, offset);
    // One stamp per sector: a chance match of its tag has probability 2^-32, and a damaged stamp hides where a
    // misplaced sector belongs.
    const auto stamp = kind_ == PayloadKind::given ? pattern_.read_cell(sector.first<Pattern::cell_size>())
                                                   : std::optional<Pattern::Place>{};
    if (stamp && stamp->offset != offset) return {DamageKind::misplaced, Bytes{stamp->offset}};
    std::array<std::byte, Pattern::sector_size> expected;
    fill(expected, offset);
    int flipped = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
        flipped += std::popcount(std::to_integer<std::uint8_t>(sector[i] ^ expected[i]));
    const bool stamp_is_older =
        stamp && stamp->generation != pattern_.read_cell(std::span(expected).first<16>())->generation;
    if (stamp_is_older) return {DamageKind::stale, {}};
    return {flipped <= 512 || stamp ? DamageKind::flipped : DamageKind::foreign, {}};
}

} // namespace mediarig::workload

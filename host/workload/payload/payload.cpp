// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/payload/payload.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace mediarig::workload {

namespace {

/// A sector that differs in more bits from the expected one is not the same with some bits flipped.
constexpr int most_flips_of_a_sector = 512;

/// Size of a page, so that file systems and controllers with deduplication recognise it.
constexpr std::size_t repeated_block = 4096;

/// The first offset at or after `offset` that is a multiple of the distance of labels.
std::uint64_t next_label(std::uint64_t offset) {
    return align_up({offset}, DataLabel::every).count;
}

} // namespace

PayloadSource::PayloadSource(const Payload& payload, std::uint32_t generation, std::optional<DataLabel> label)
    : kind_(payload.kind), pattern_(payload.seed, generation), given_(payload.given), label_(std::move(label)) {
    if (kind_ != PayloadKind::repeated) return;
    given_.resize(repeated_block);
    pattern_.fill(std::as_writable_bytes(std::span(given_)), 0);
}

void PayloadSource::fill(std::span<std::byte> buffer, std::uint64_t offset) const {
    switch (kind_) {
        case PayloadKind::zeros:
            std::memset(buffer.data(), 0, buffer.size());
            return;
        case PayloadKind::ones:
            std::memset(buffer.data(), 0xFF, buffer.size());
            return;
        case PayloadKind::given:
            fill_given(buffer, offset);
            stamp(buffer, offset);
            return;
        case PayloadKind::repeated:
            fill_given(buffer, offset);
            return;
        case PayloadKind::compressible:
        case PayloadKind::incompressible:
            break;
    }
    const std::size_t whole = buffer.size() / Pattern::sector_size * Pattern::sector_size;
    pattern_.fill(buffer.first(whole), offset);
    if (label_)
        for (std::uint64_t at = next_label(offset); at < offset + whole; at += DataLabel::every.count) {
            const LabelSector sector = label_sector(*label_, at);
            std::memcpy(buffer.data() + (at - offset), sector.data(), sector.size());
        }
    if (kind_ == PayloadKind::compressible)
        for (std::size_t at = 0; at < whole; at += Pattern::sector_size)
            std::memset(buffer.data() + at + Pattern::sector_size / 2, 0, Pattern::sector_size / 2);
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
}

void PayloadSource::stamp(std::span<std::byte> buffer, std::uint64_t offset) const {
    for (std::size_t at = 0; at + Pattern::cell_size <= buffer.size(); at += Pattern::sector_size) {
        const Pattern::Block stamp = pattern_.make_cell(offset + at);
        std::memcpy(buffer.data() + at, stamp.data(), stamp.size());
    }
}

bool PayloadSource::matches(std::span<const std::byte> buffer, std::uint64_t offset) const {
    if (kind_ == PayloadKind::incompressible) {
        if (!label_) return pattern_.matches(buffer, offset);
        const std::uint64_t end = offset + buffer.size();
        for (std::uint64_t at = offset; at < end;) {
            std::uint64_t until = at + Pattern::sector_size;
            const auto part = [&] {
                return buffer.subspan(static_cast<std::size_t>(at - offset), static_cast<std::size_t>(until - at));
            };
            if (is_label(at)) {
                const LabelSector expected = label_sector(*label_, at);
                if (std::memcmp(part().data(), expected.data(), expected.size()) != 0) return false;
            } else {
                until = std::min(next_label(at), end);
                if (!pattern_.matches(part(), at)) return false;
            }
            at = until;
        }
        return true;
    }
    std::array<std::byte, Pattern::sector_size> expected;
    for (std::size_t at = 0; at < buffer.size(); at += expected.size()) {
        fill(expected, offset + at);
        if (std::memcmp(buffer.data() + at, expected.data(), expected.size()) != 0) return false;
    }
    return true;
}

Pattern::Diagnosis PayloadSource::diagnose(std::span<const std::byte, Pattern::sector_size> sector,
                                           std::uint64_t offset) const {
    if (kind_ == PayloadKind::incompressible) {
        const auto label = label_in(sector);
        if (is_label(offset) || label) return diagnose_label(sector, offset);
        return pattern_.diagnose(sector, offset);
    }
    // One stamp per sector: a chance match of its tag has probability 2^-32, and a damaged stamp hides where a
    // misplaced sector belongs.
    const auto stamp = kind_ == PayloadKind::given ? pattern_.read_cell(sector.first<Pattern::cell_size>())
                                                   : std::optional<Pattern::Place>{};
    if (stamp && stamp->offset != offset) return {DamageKind::misplaced, Bytes{stamp->offset}};
    std::array<std::byte, Pattern::sector_size> expected;
    fill(expected, offset);
    const int flipped = different_bits(sector, expected);
    const bool stamp_is_older =
        stamp && stamp->generation != pattern_.read_cell(std::span(expected).first<16>())->generation;
    if (stamp_is_older) return {DamageKind::stale, {}};
    return {flipped <= most_flips_of_a_sector || stamp ? DamageKind::flipped : DamageKind::foreign, {}};
}

Pattern::Diagnosis PayloadSource::diagnose_label(std::span<const std::byte, Pattern::sector_size> sector,
                                                 std::uint64_t offset) const {
    if (const auto found = label_in(sector)) {
        if (!label_ || found->label != *label_) return {DamageKind::stale, {}};
        return {DamageKind::misplaced, Bytes{found->position}};
    }
    if (different_bits(sector, label_sector(*label_, offset)) <= most_flips_of_a_sector)
        return {DamageKind::flipped, {}};
    return pattern_.diagnose(sector, offset); // pattern of another position or generation
}

} // namespace mediarig::workload

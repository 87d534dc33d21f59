// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/cells.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "host/lab/card/random.hpp"

namespace mediarig::lab {
namespace {

constexpr std::uint64_t bits_in_sector = sector_size.count * 8;

/// Flips `bits` distinct bits of one sector.
void flip(std::span<std::byte> sector, std::uint64_t bits, SplitMix draws) {
    std::array<bool, bits_in_sector> flipped{};
    for (std::uint64_t i = 0; i < std::min(bits, bits_in_sector); ++i) {
        std::uint64_t bit = draws.next() % bits_in_sector;
        while (flipped.at(bit)) bit = (bit + 1) % bits_in_sector;
        flipped.at(bit) = true;
        sector[bit / 8] ^= std::byte(1U << (bit % 8));
    }
}

} // namespace

template <class Act>
Result<void> Cells::for_each_piece(std::uint64_t offset, Bytes size, Act act) const {
    const std::uint64_t end = offset + size.count;
    while (offset < end) {
        const std::uint64_t real = config_.real.count;
        std::uint64_t to = end;
        std::optional<std::uint64_t> place;
        if (offset < real || config_.beyond == OverflowBehaviour::wrap) {
            place = offset % real;
            to = std::min(end, offset - *place + real);
        }
        if (auto done = act(place, offset, Bytes{to - offset}); !done) return done;
        offset = to;
    }
    return {};
}

void Cells::make_up(std::uint64_t offset, std::span<std::byte> into) const {
    if (config_.beyond != OverflowBehaviour::garbage) {
        std::fill(into.begin(), into.end(), std::byte{0});
        return;
    }
    for (std::size_t at = 0; at < into.size(); at += sector_size.count) {
        auto noise = sequence(config_.start_value, Purpose::garbage, (offset + at) / sector_size.count);
        for (std::size_t i = 0; i < sector_size.count; i += sizeof(std::uint64_t)) {
            const std::uint64_t word = noise.next();
            std::memcpy(into.data() + at + i, &word, sizeof word);
        }
    }
}

Result<void> Cells::read(std::uint64_t offset, std::span<std::byte> into) {
    return for_each_piece(offset, {into.size()},
                          [&](std::optional<std::uint64_t> place, std::uint64_t at, Bytes size) -> Result<void> {
                              const auto part = into.subspan(at - offset, size.count);
                              if (place) return storage_.read(*place, part);
                              make_up(at, part);
                              return {};
                          });
}

Result<void> Cells::write(std::uint64_t offset, std::span<const std::byte> from) {
    return for_each_piece(offset, {from.size()},
                          [&](std::optional<std::uint64_t> place, std::uint64_t at, Bytes size) -> Result<void> {
                              if (!place) return {};
                              return storage_.write(*place, from.subspan(at - offset, size.count));
                          });
}

Result<void> Cells::clear(std::uint64_t offset, Bytes size) {
    return for_each_piece(offset, size,
                          [&](std::optional<std::uint64_t> place, std::uint64_t, Bytes part) -> Result<void> {
                              if (!place) return {};
                              return storage_.clear(*place, part);
                          });
}

void Cells::apply_bit_flips(std::uint64_t offset, std::span<std::byte> data) const {
    const std::uint64_t first = offset / sector_size.count;
    const std::uint64_t end = first + data.size() / sector_size.count;
    const auto flip_at = [&](std::uint64_t sector, std::uint64_t bits) {
        flip(data.subspan((sector - first) * sector_size.count, sector_size.count), bits,
             sequence(config_.start_value, Purpose::flipped_bits, sector));
    };
    for (const CorruptRegion& weak : config_.corrupt_regions)
        for (std::uint64_t sector = std::max(first, weak.sectors.first.index);
             sector < std::min(end, weak.sectors.end()); ++sector)
            flip_at(sector, weak.bits_per_sector);
    if (config_.corrupt_one_sector_in == 0) return;
    for (std::uint64_t sector = first; sector < end; ++sector)
        if (sequence(config_.start_value, Purpose::weak_sector, sector).next() % config_.corrupt_one_sector_in == 0)
            flip_at(sector, 1);
}

Result<void> Cells::damage(const SectorRange& sectors, std::uint64_t bits) {
    std::array<std::byte, sector_size.count> raw{};
    return for_each_piece(byte_offset(sectors.first, sector_size).count, sector_size * sectors.count,
                          [&](std::optional<std::uint64_t> place, std::uint64_t at, Bytes size) -> Result<void> {
                              for (std::uint64_t i = 0; place && i < size.count; i += sector_size.count) {
                                  if (auto got = storage_.read(*place + i, raw); !got) return got;
                                  flip(raw, bits,
                                       sequence(config_.start_value, Purpose::damage, (at + i) / sector_size.count));
                                  if (auto put = storage_.write(*place + i, raw); !put) return put;
                              }
                              return {};
                          });
}

} // namespace mediarig::lab

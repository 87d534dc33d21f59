// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/payload/pattern.hpp"

#include <bit>
#include <cstring>

#include "common/split_mix.hpp"
#include "host/workload/payload/aes_round.hpp"

namespace mediarig::workload {
namespace {

Pattern::Block random_block(SplitMix& numbers) {
    Pattern::Block block;
    for (std::size_t half = 0; half < block.size(); half += 8) {
        const std::uint64_t value = numbers.next();
        for (std::size_t i = 0; i < 8; ++i) block[half + i] = static_cast<std::uint8_t>(value >> (8 * i));
    }
    return block;
}

Pattern::Keys keys_from(std::uint64_t seed, std::uint32_t generation) {
    SplitMix numbers(seed);
    Pattern::Keys keys{};
    keys.whitening = random_block(numbers);
    keys.first = random_block(numbers);
    keys.second = random_block(numbers);
    keys.spread = numbers.next() | 1;
    keys.tag = static_cast<std::uint32_t>(numbers.next());
    keys.generation = generation;
    return keys;
}

/// Newton's iteration doubles the number of correct low bits in each step; an odd number is its own inverse modulo 8.
std::uint64_t inverse_of_odd(std::uint64_t odd) {
    std::uint64_t inverse = odd;
    for (int right_bits = 3; right_bits < 64; right_bits *= 2) inverse *= 2 - odd * inverse;
    return inverse;
}

template <class Int>
Int load_le(const std::uint8_t* from) {
    Int value = 0;
    for (std::size_t i = 0; i < sizeof(Int); ++i) value |= static_cast<Int>(static_cast<Int>(from[i]) << (8 * i));
    return value;
}

const detail::PatternCode& code_for(Pattern::Code code) {
    return code == Pattern::Code::aes_instructions ? detail::aes_code : detail::portable_code;
}

/// A sector that differs from the written one in more bits than this is not "the same with some bits flipped":
/// unrelated contents differ in half of their 4096 bits.
constexpr int most_flipped_bits = 512;
/// A chance match of a cell's tag has probability 2^-32; two consistent cells in one sector do not match by chance.
constexpr int witnesses_needed = 2;

} // namespace

Pattern::Pattern(std::uint64_t seed, std::uint32_t generation, Code code)
    : keys_(keys_from(seed, generation)), code_(code) {}

Pattern::Code Pattern::fastest() {
    static const bool present = detail::aes_instructions_present();
    return present ? Code::aes_instructions : Code::portable;
}

void Pattern::fill(std::span<std::byte> buffer, std::uint64_t offset) const {
    code_for(code_).fill(keys_, buffer, offset);
}

bool Pattern::matches(std::span<const std::byte> buffer, std::uint64_t offset) const {
    return code_for(code_).matches(keys_, buffer, offset);
}

std::optional<Pattern::Place> Pattern::read_cell(std::span<const std::byte, cell_size> cell) const {
    const Block block = code_for(code_).decode(keys_, cell);
    if (load_le<std::uint32_t>(block.data() + 12) != keys_.tag) return std::nullopt;
    const std::uint64_t index = load_le<std::uint64_t>(block.data()) * inverse_of_odd(keys_.spread);
    if (index >> 60 != 0) return std::nullopt; // the decoded offset would exceed 64 bits
    return Place{index * cell_size, load_le<std::uint32_t>(block.data() + 8)};
}

Pattern::Block Pattern::make_cell(std::uint64_t offset) const {
    Block cell;
    detail::portable_code.fill(keys_, std::as_writable_bytes(std::span(cell)), offset);
    return cell;
}

int different_bits(std::span<const std::byte> a, std::span<const std::byte> b) {
    int bits = 0;
    std::size_t at = 0;
    // Whole words: without an instruction for it, a count of bits costs the same for a byte as for a word.
    for (std::uint64_t one = 0, other = 0; at + sizeof(one) <= a.size(); at += sizeof(one)) {
        std::memcpy(&one, a.data() + at, sizeof(one));
        std::memcpy(&other, b.data() + at, sizeof(other));
        bits += std::popcount(one ^ other);
    }
    for (; at < a.size(); ++at) bits += std::popcount(std::to_integer<std::uint8_t>(a[at] ^ b[at]));
    return bits;
}

/// The intact cells contain the place. Uses the first claim that a second cell confirms.
std::optional<Pattern::Place> Pattern::stamp_in(std::span<const std::byte> bytes) const {
    std::optional<Place> claim;
    int witnesses = 0;
    for (std::size_t at = 0; at < bytes.size(); at += cell_size) {
        // Cells of adjacent places differ, so a repeated cell confirms nothing: sectors of one repeated byte are frequent.
        if (at > 0 && std::memcmp(bytes.data() + at, bytes.data() + at - cell_size, cell_size) == 0) continue;
        auto place = read_cell(bytes.subspan(at).first<cell_size>());
        if (!place || place->offset < at) continue;
        place->offset -= at;
        if (claim && claim->offset == place->offset && claim->generation == place->generation) {
            if (++witnesses >= witnesses_needed) return claim;
        } else {
            claim = place;
            witnesses = 1;
        }
    }
    return std::nullopt;
}

Pattern::Diagnosis Pattern::diagnose(std::span<const std::byte, sector_size> sector, std::uint64_t offset) const {
    std::array<std::byte, sector_size> expected;
    fill(expected, offset);
    if (different_bits(sector, expected) <= most_flipped_bits) return {DamageKind::flipped, {}};

    const std::optional<Place> claim = stamp_in(sector);
    if (!claim) return {DamageKind::foreign, {}};
    if (claim->generation != keys_.generation) return {DamageKind::stale, {}};
    if (claim->offset != offset) return {DamageKind::misplaced, Bytes{claim->offset}};
    return {DamageKind::flipped, {}}; // part of the sector is correct, the rest is lost
}

} // namespace mediarig::workload

namespace mediarig::workload::detail {
namespace {

template <class Int>
void store_le(std::uint8_t* to, Int value) {
    for (std::size_t i = 0; i < sizeof(Int); ++i) to[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

aes::CipherBlock cell_at(const Pattern::Keys& keys, std::uint64_t spread_index) {
    aes::CipherBlock cell;
    store_le(cell.data(), spread_index);
    store_le(cell.data() + 8, keys.generation);
    store_le(cell.data() + 12, keys.tag);
    for (std::size_t i = 0; i < cell.size(); ++i) cell[i] = static_cast<std::uint8_t>(cell[i] ^ keys.whitening[i]);
    return aes::encrypt_round(aes::encrypt_round(cell, keys.first), keys.second);
}

void fill(const Pattern::Keys& keys, std::span<std::byte> buffer, std::uint64_t offset) {
    std::uint64_t index = offset / Pattern::cell_size * keys.spread;
    for (std::size_t at = 0; at < buffer.size(); at += Pattern::cell_size, index += keys.spread) {
        const aes::CipherBlock cell = cell_at(keys, index);
        std::memcpy(buffer.data() + at, cell.data(), cell.size());
    }
}

Pattern::Block decode(const Pattern::Keys& keys, std::span<const std::byte, Pattern::cell_size> cell) {
    aes::CipherBlock block;
    std::memcpy(block.data(), cell.data(), block.size());
    block = aes::decrypt_round(aes::decrypt_round(block, keys.second), keys.first);
    for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::uint8_t>(block[i] ^ keys.whitening[i]);
    return block;
}

bool matches(const Pattern::Keys& keys, std::span<const std::byte> buffer, std::uint64_t offset) {
    std::uint64_t index = offset / Pattern::cell_size * keys.spread;
    for (std::size_t at = 0; at < buffer.size(); at += Pattern::cell_size, index += keys.spread) {
        const aes::CipherBlock cell = cell_at(keys, index);
        if (std::memcmp(buffer.data() + at, cell.data(), cell.size()) != 0) return false;
    }
    return true;
}

} // namespace

const PatternCode portable_code{fill, matches, decode};

} // namespace mediarig::workload::detail

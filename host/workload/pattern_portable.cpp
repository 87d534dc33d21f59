// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstring>

#include "host/workload/aes_round.hpp"
#include "host/workload/pattern_code.hpp"

namespace mediarig::workload::detail {
namespace {

template <class Int>
void store_le(std::uint8_t* to, Int value) {
    for (std::size_t i = 0; i < sizeof(Int); ++i) to[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

aes::Block cell_at(const Pattern::Keys& keys, std::uint64_t spread_index) {
    aes::Block cell;
    store_le(cell.data(), spread_index);
    store_le(cell.data() + 8, keys.generation);
    store_le(cell.data() + 12, keys.tag);
    for (std::size_t i = 0; i < cell.size(); ++i) cell[i] = static_cast<std::uint8_t>(cell[i] ^ keys.whitening[i]);
    return aes::encrypt_round(aes::encrypt_round(cell, keys.first), keys.second);
}

void fill(const Pattern::Keys& keys, std::span<std::byte> buffer, std::uint64_t offset) {
    std::uint64_t index = offset / Pattern::cell_size * keys.spread;
    for (std::size_t at = 0; at < buffer.size(); at += Pattern::cell_size, index += keys.spread) {
        const aes::Block cell = cell_at(keys, index);
        std::memcpy(buffer.data() + at, cell.data(), cell.size());
    }
}

bool matches(const Pattern::Keys& keys, std::span<const std::byte> buffer, std::uint64_t offset) {
    std::uint64_t index = offset / Pattern::cell_size * keys.spread;
    for (std::size_t at = 0; at < buffer.size(); at += Pattern::cell_size, index += keys.spread) {
        const aes::Block cell = cell_at(keys, index);
        if (std::memcmp(buffer.data() + at, cell.data(), cell.size()) != 0) return false;
    }
    return true;
}

} // namespace

const PatternCode portable_code{fill, matches};

} // namespace mediarig::workload::detail

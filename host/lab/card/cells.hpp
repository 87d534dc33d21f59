// SPDX-License-Identifier: GPL-3.0-or-later
/// Models the storage cells of a medium. A fake has fewer cells than it claims; weak cells return flipped bits. Models
/// no cache, time or errors.
#pragma once

#include <cstdint>
#include <span>

#include "host/lab/card/config.hpp"
#include "host/lab/card/storage.hpp"

namespace mediarig::lab {

/// Offsets and sizes are whole sectors inside the claimed size. The storage holds `real` bytes and must outlive this
/// object.
class Cells {
public:
    Cells(const CardConfig& config, Storage& storage) : config_(config), storage_(storage) {}

    /// Reads stored data, or the data that a fake invents. Does not apply weak cells.
    [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> into);
    [[nodiscard]] Result<void> write(std::uint64_t offset, std::span<const std::byte> from);
    [[nodiscard]] Result<void> clear(std::uint64_t offset, Bytes size);

    /// Applies the bit flips of weak cells to data read from `offset`.
    void apply_bit_flips(std::uint64_t offset, std::span<std::byte> data) const;
    /// Flips `bits` bits of each stored sector once; the next write repairs them. Skips sectors that are not stored.
    [[nodiscard]] Result<void> damage(const SectorRange& sectors, std::uint64_t bits);

private:
    /// Calls `act(offset in the storage, or nothing if the data is dropped; offset; size)` for each piece.
    template <class Act>
    Result<void> for_each_piece(std::uint64_t offset, Bytes size, Act act) const;
    void make_up(std::uint64_t offset, std::span<std::byte> into) const;

    CardConfig config_;
    Storage& storage_;
};

} // namespace mediarig::lab

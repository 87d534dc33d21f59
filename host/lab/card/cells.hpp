// SPDX-License-Identifier: GPL-3.0-or-later
/// The cells behind the claimed size: a fake has fewer, and weak ones give back other bits. No cache, no time, no
/// errors.
#pragma once

#include <cstdint>
#include <span>

#include "host/lab/card/config.hpp"
#include "host/lab/card/storage.hpp"

namespace mediarig::lab {

/// Offsets and sizes are whole sectors inside the claimed size. The storage holds `real` bytes and must outlive this.
class Cells {
public:
    Cells(const CardConfig& config, Storage& storage) : config_(config), storage_(storage) {}

    /// As stored, or what a fake makes up; weak cells are not applied.
    [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> into);
    [[nodiscard]] Result<void> write(std::uint64_t offset, std::span<const std::byte> from);
    [[nodiscard]] Result<void> clear(std::uint64_t offset, Bytes size);

    /// Flips what weak cells flip in data read from `offset`.
    void spoil(std::uint64_t offset, std::span<std::byte> data) const;
    /// Flips `bits` bits of each sector where it is stored, once: the next write heals it. Where nothing is stored,
    /// nothing happens.
    [[nodiscard]] Result<void> damage(const SectorRange& sectors, std::uint64_t bits);

private:
    /// Calls `act(place in the storage, or nothing where data ends up nowhere; offset; size)` piece by piece.
    template <class Act>
    Result<void> each_piece(std::uint64_t offset, Bytes size, Act act) const;
    void make_up(std::uint64_t offset, std::span<std::byte> into) const;

    CardConfig config_;
    Storage& storage_;
};

} // namespace mediarig::lab

// SPDX-License-Identifier: GPL-3.0-or-later
/// Acknowledged data that is not in the cells yet: oldest first it goes there, and a power cut takes what is left.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <span>
#include <unordered_map>

#include "host/lab/card/config.hpp"

namespace mediarig::lab {

/// What a power cut does to the cache.
enum class Loss : std::uint8_t {
    all,    ///< nothing of it is on the medium afterwards
    subset, ///< some of it is, chosen by the start value: writes are reordered, and with LossUnit::sector torn
};

class WriteCache {
public:
    static constexpr std::size_t block_size = 4096;
    /// Takes data on its way into the cells.
    using Commit = std::function<Result<void>(std::uint64_t offset, std::span<const std::byte> data)>;

    explicit WriteCache(const VolatileCache& cache) : most_(cache.size.count / block_size), unit_(cache.loss_unit) {}

    /// Whole sectors. Commits the oldest blocks where there is no room; what could not be committed stays.
    [[nodiscard]] Result<void> write(std::uint64_t offset, std::span<const std::byte> from, const Commit& commit);
    /// Puts what it holds over data that came from the cells.
    void overlay(std::uint64_t offset, std::span<std::byte> data) const;
    [[nodiscard]] Result<void> commit_all(const Commit& commit);
    /// The blocks that overlap the range.
    [[nodiscard]] Result<void> commit(std::uint64_t offset, Bytes size, const Commit& commit);
    /// Forgets the sectors of the range.
    void forget(std::uint64_t offset, Bytes size);

    /// In sectors.
    struct SectorCounts {
        std::uint64_t kept{}, lost{};
        bool operator==(const SectorCounts&) const = default;
    };
    /// Empties the cache. `cut` is the number of the power cut: each one chooses anew.
    [[nodiscard]] Result<SectorCounts> lose(Loss loss, std::uint64_t start_value, std::uint64_t cut,
                                            const Commit& commit);
    [[nodiscard]] Bytes held() const;

private:
    static constexpr std::size_t sectors_in_block = block_size / sector_size.count;
    struct Block {
        std::uint64_t index;                     ///< offset / block_size
        std::array<bool, sectors_in_block> held; ///< which of its sectors are in here
        std::array<std::byte, block_size> data;
    };
    using Blocks = std::list<Block>;
    Block& block_at(std::uint64_t index);
    static Result<void> commit_block(const Block& block, const Commit& commit);

    std::size_t most_;
    LossUnit unit_;
    Blocks blocks_; ///< in the order of their first write
    std::unordered_map<std::uint64_t, Blocks::iterator> by_index_;
};

} // namespace mediarig::lab

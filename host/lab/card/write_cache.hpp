// SPDX-License-Identifier: GPL-3.0-or-later
/// Acknowledged data that is not in the cells yet. The oldest data is committed first; a power cut loses the remainder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <span>
#include <unordered_map>

#include "host/base/enum_names.hpp"
#include "host/lab/card/config.hpp"

namespace mediarig::lab {

using mediarig::name_of;

/// Effect of a power cut on the cache.
BOOST_DEFINE_FIXED_ENUM_CLASS(Loss, std::uint8_t,
                              all,   ///< no cached data reaches the medium
                              subset ///< a part of it reaches the medium, chosen by the start value: writes are
                                     ///< reordered and, with LossUnit::sector, torn
)

class WriteCache {
public:
    static constexpr std::size_t block_size = 4096;
    /// Writes data into the cells.
    using Commit = std::function<Result<void>(std::uint64_t offset, std::span<const std::byte> data)>;

    explicit WriteCache(const VolatileCache& cache) : most_(cache.size.count / block_size), unit_(cache.loss_unit) {}

    /// Takes whole sectors. Commits the oldest blocks if the cache is full; a block whose commit fails stays in the
    /// cache.
    [[nodiscard]] Result<void> write(std::uint64_t offset, std::span<const std::byte> from, const Commit& commit);
    /// Overwrites data read from the cells with the cached data.
    void overlay(std::uint64_t offset, std::span<std::byte> data) const;
    [[nodiscard]] Result<void> commit_all(const Commit& commit);
    /// Commits the blocks that overlap the range.
    [[nodiscard]] Result<void> commit(std::uint64_t offset, Bytes size, const Commit& commit);
    /// Drops the sectors of the range.
    void forget(std::uint64_t offset, Bytes size);

    /// Numbers of sectors that survived a power cut, and that were lost.
    struct SectorCounts {
        std::uint64_t kept{}, lost{};
        bool operator==(const SectorCounts&) const = default;
    };
    /// Empties the cache. `cut` is the number of the power cut: each cut makes a new choice.
    [[nodiscard]] Result<SectorCounts> lose(Loss loss, std::uint64_t start_value, std::uint64_t cut,
                                            const Commit& commit);
    [[nodiscard]] Bytes held() const;

private:
    static constexpr std::size_t sectors_in_block = block_size / sector_size.count;
    struct Block {
        std::uint64_t index;                     ///< offset / block_size
        std::array<bool, sectors_in_block> held; ///< sectors that are in the cache
        std::array<std::byte, block_size> data;
    };
    using Blocks = std::list<Block>;
    Block& block_at(std::uint64_t index);
    static Result<void> commit_block(const Block& block, const Commit& commit);

    std::size_t most_;
    LossUnit unit_;
    Blocks blocks_; ///< blocks in the order of their first write
    std::unordered_map<std::uint64_t, Blocks::iterator> by_index_;
};

} // namespace mediarig::lab

// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/write_cache.hpp"

#include <algorithm>
#include <cstring>

#include "host/lab/card/random.hpp"

namespace mediarig::lab {
namespace {

constexpr std::size_t sector_bytes = sector_size.count;

/// Calls `act(block index, first byte in the block, first byte in the range, bytes)` for each block of a range.
template <class Act>
void each_block(std::uint64_t offset, std::uint64_t size, Act act) {
    for (std::uint64_t done = 0; done < size;) {
        const std::uint64_t at = offset + done;
        const std::uint64_t in_block = at % WriteCache::block_size;
        const std::uint64_t part = std::min(size - done, WriteCache::block_size - in_block);
        act(at / WriteCache::block_size, in_block, done, part);
        done += part;
    }
}

} // namespace

WriteCache::Block& WriteCache::block_at(std::uint64_t index) {
    const auto [found, fresh] = by_index_.try_emplace(index);
    if (fresh) {
        blocks_.emplace_back();
        blocks_.back().index = index;
        found->second = std::prev(blocks_.end());
    }
    return *found->second;
}

Result<void> WriteCache::commit_block(const Block& block, const Commit& commit) {
    for (std::size_t first = 0; first < sectors_in_block;) {
        std::size_t end = first;
        while (end < sectors_in_block && block.held.at(end)) ++end;
        if (end > first) {
            const auto data = std::span(block.data).subspan(first * sector_bytes, (end - first) * sector_bytes);
            if (auto put = commit(block.index * block_size + first * sector_bytes, data); !put) return put;
        }
        first = end + 1;
    }
    return {};
}

Result<void> WriteCache::write(std::uint64_t offset, std::span<const std::byte> from, const Commit& commit) {
    Result<void> result;
    each_block(
        offset, from.size(), [&](std::uint64_t index, std::uint64_t in_block, std::uint64_t done, std::uint64_t part) {
            if (!result) return;
            if (!by_index_.contains(index) && blocks_.size() >= most_) {
                result = commit_block(blocks_.front(), commit);
                if (!result) return;
                by_index_.erase(blocks_.front().index);
                blocks_.pop_front();
            }
            Block& block = block_at(index);
            std::memcpy(block.data.data() + in_block, from.data() + done, part);
            for (std::size_t sector = in_block / sector_bytes; sector < (in_block + part) / sector_bytes; ++sector)
                block.held.at(sector) = true;
        });
    return result;
}

void WriteCache::overlay(std::uint64_t offset, std::span<std::byte> data) const {
    if (blocks_.empty()) return;
    each_block(offset, data.size(),
               [&](std::uint64_t index, std::uint64_t in_block, std::uint64_t done, std::uint64_t part) {
                   const auto found = by_index_.find(index);
                   if (found == by_index_.end()) return;
                   const Block& block = *found->second;
                   for (std::uint64_t i = 0; i < part; i += sector_bytes)
                       if (block.held.at((in_block + i) / sector_bytes))
                           std::memcpy(data.data() + done + i, block.data.data() + in_block + i, sector_bytes);
               });
}

Result<void> WriteCache::commit_all(const Commit& commit) {
    while (!blocks_.empty()) {
        if (auto put = commit_block(blocks_.front(), commit); !put) return put;
        by_index_.erase(blocks_.front().index);
        blocks_.pop_front();
    }
    return {};
}

Result<void> WriteCache::commit(std::uint64_t offset, Bytes size, const Commit& commit) {
    Result<void> result;
    each_block(offset, size.count, [&](std::uint64_t index, std::uint64_t, std::uint64_t, std::uint64_t) {
        const auto found = by_index_.find(index);
        if (!result || found == by_index_.end()) return;
        result = commit_block(*found->second, commit);
        if (!result) return;
        blocks_.erase(found->second);
        by_index_.erase(found);
    });
    return result;
}

void WriteCache::forget(std::uint64_t offset, Bytes size) {
    const std::uint64_t end = offset + size.count;
    // Iterate over the cached blocks: a trimmed range may be a thousand times larger.
    for (auto block = blocks_.begin(); block != blocks_.end();) {
        bool any = false;
        for (std::size_t sector = 0; sector < sectors_in_block; ++sector) {
            const std::uint64_t at = block->index * block_size + sector * sector_bytes;
            if (at >= offset && at < end) block->held.at(sector) = false;
            any = any || block->held.at(sector);
        }
        if (!any) by_index_.erase(block->index);
        block = any ? std::next(block) : blocks_.erase(block);
    }
}

Result<WriteCache::SectorCounts> WriteCache::lose(Loss loss, std::uint64_t start_value, std::uint64_t cut,
                                                  const Commit& commit) {
    SectorCounts sectors;
    auto draws = sequence(start_value, Purpose::loss, cut);
    for (Block& block : blocks_) {
        const bool block_survives = draws.next() % 2 == 0;
        for (bool& held : block.held) {
            if (!held) continue;
            const bool survives = unit_ == LossUnit::sector ? draws.next() % 2 == 0 : block_survives;
            held = loss == Loss::subset && survives;
            ++(held ? sectors.kept : sectors.lost);
        }
        if (auto put = commit_block(block, commit); !put) return fail(put.error());
    }
    blocks_.clear();
    by_index_.clear();
    return sectors;
}

Bytes WriteCache::held() const {
    std::uint64_t sectors = 0;
    for (const Block& block : blocks_)
        sectors += static_cast<std::uint64_t>(std::count(block.held.begin(), block.held.end(), true));
    return sector_size * sectors;
}

} // namespace mediarig::lab

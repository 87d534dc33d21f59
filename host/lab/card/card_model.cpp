// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/card_model.hpp"

namespace mediarig::lab {
namespace {

using Status = Outcome::Status;

SectorRange sectors_of(std::uint64_t offset, std::uint64_t size) {
    return {{offset / sector_size.count}, size / sector_size.count};
}

} // namespace

CardModel::CardModel(const CardConfig& config, Storage& storage)
    : config_(config), cells_(config, storage), timing_(config) {
    if (config.volatile_cache) cache_.emplace(*config.volatile_cache);
    for (const BadSectors& bad : config.bad_sectors) add_bad_sectors(bad);
}

Result<Outcome> CardModel::read(std::uint64_t offset, std::span<std::byte> into, Moment now) {
    if (const auto refused = refusal(BlockRequest::read, offset, into.size()))
        return counted(BlockRequest::read, *refused, 0_B);
    Outcome outcome{.took = timing_.transfer(Timing::Transfer::read, offset, {into.size()}, now)};
    auto good = into;
    if (const auto bad = unreadable_.first_in(sectors_of(offset, into.size()))) {
        outcome.status = Status::bad_sector;
        outcome.at = *bad;
        good = into.first(byte_offset(*bad, sector_size).count - offset);
    }
    if (auto done = noticed(cells_.read(offset, good)); !done) return fail(done.error());
    cells_.apply_bit_flips(offset, good);
    if (cache_) cache_->overlay(offset, good);
    return counted(BlockRequest::read, outcome, {into.size()});
}

Result<Outcome> CardModel::write(std::uint64_t offset, std::span<const std::byte> from, Durability durability,
                                 Moment now) {
    if (const auto refused = refusal(BlockRequest::write, offset, from.size()))
        return counted(BlockRequest::write, *refused, 0_B);
    Outcome outcome{.took = timing_.transfer(Timing::Transfer::write, offset, {from.size()}, now)};
    auto good = from;
    if (const auto bad = unwritable_.first_in(sectors_of(offset, from.size()))) {
        outcome.status = Status::bad_sector;
        outcome.at = *bad;
        good = from.first(byte_offset(*bad, sector_size).count - offset);
    }
    if (auto done = noticed(put(offset, good, durability)); !done) return fail(done.error());
    return counted(BlockRequest::write, outcome, {from.size()});
}

Result<Outcome> CardModel::zero(std::uint64_t offset, Bytes size, Moment now) {
    if (const auto refused = refusal(BlockRequest::zero, offset, size.count))
        return counted(BlockRequest::zero, *refused, 0_B);
    Outcome outcome{.took = timing_.transfer(Timing::Transfer::write, offset, size, now)};
    Bytes good = size;
    if (const auto bad = unwritable_.first_in(sectors_of(offset, size.count))) {
        outcome.status = Status::bad_sector;
        outcome.at = *bad;
        good = byte_offset(*bad, sector_size) - Bytes{offset};
    }
    if (cache_) cache_->forget(offset, good);
    if (auto done = noticed(cells_.clear(offset, good)); !done) return fail(done.error());
    return counted(BlockRequest::zero, outcome, size);
}

Result<Outcome> CardModel::trim(std::uint64_t offset, Bytes size, Moment now) {
    if (const auto refused = refusal(BlockRequest::trim, offset, size.count))
        return counted(BlockRequest::trim, *refused, 0_B);
    const Outcome outcome{.took = timing_.command(now)};
    if (cache_) cache_->forget(offset, size);
    if (auto done = noticed(cells_.clear(offset, size)); !done) return fail(done.error());
    return counted(BlockRequest::trim, outcome, size);
}

Result<Outcome> CardModel::flush(Moment now) {
    if (const auto refused = refusal(BlockRequest::flush, 0, 0)) return counted(BlockRequest::flush, *refused, 0_B);
    const Outcome outcome{.took = timing_.flush(now)};
    if (cache_)
        if (auto done = noticed(cache_->commit_all(into_cells())); !done) return fail(done.error());
    return counted(BlockRequest::flush, outcome, 0_B);
}

Result<WriteCache::SectorCounts> CardModel::power_cut(Loss loss) {
    if (!powered_) return WriteCache::SectorCounts{};
    powered_ = false;
    const std::uint64_t cut = stats_.power_cuts++;
    if (!cache_) return WriteCache::SectorCounts{};
    return noticed(cache_->lose(loss, config_.start_value, cut, into_cells()));
}

Result<void> CardModel::shut_down() {
    if (!cache_) return {};
    return noticed(cache_->commit_all(into_cells()));
}

void CardModel::add_bad_sectors(const BadSectors& bad) {
    if (bad.fail_reads) unreadable_.add(bad.sectors);
    if (bad.fail_writes) unwritable_.add(bad.sectors);
}

void CardModel::remove_bad_sectors(const SectorRange& sectors) {
    unreadable_.remove(sectors);
    unwritable_.remove(sectors);
}

Result<void> CardModel::corrupt(const CorruptRegion& region) {
    // Drop the damaged blocks from the cache: a later commit would overwrite the damage with good data.
    if (cache_) {
        const Bytes begin = byte_offset(region.sectors.first, sector_size);
        auto committed = noticed(cache_->commit(begin.count, sector_size * region.sectors.count, into_cells()));
        if (!committed) return committed;
    }
    return noticed(cells_.damage(region.sectors, region.bits_per_sector));
}

bool CardModel::fits(const SectorRange& sectors) const {
    return sectors.end() <= config_.claimed / sector_size;
}

CardStats CardModel::stats() const {
    CardStats stats = stats_;
    stats.cached = cache_ ? cache_->held() : 0_B;
    stats.slc_free_space = timing_.slc_free_space();
    stats.celsius = timing_.celsius();
    SectorSet bad = unreadable_;
    bad.add_all(unwritable_);
    stats.bad_sectors = bad.count();
    stats.powered = powered_;
    return stats;
}

std::optional<Outcome> CardModel::refusal(BlockRequest request, std::uint64_t offset, std::uint64_t size) const {
    if (!powered_) return Outcome{.status = Status::no_power};
    if (request == BlockRequest::flush) return std::nullopt;
    const bool whole = offset % sector_size.count == 0 && size % sector_size.count == 0;
    const bool inside = offset <= config_.claimed.count && size <= config_.claimed.count - offset;
    if (whole && inside) return std::nullopt;
    return Outcome{.status = Status::out_of_range};
}

Outcome CardModel::counted(BlockRequest request, Outcome outcome, Bytes moved) {
    RequestCount& count = stats_.by_request.at(static_cast<std::size_t>(request));
    ++count.requests;
    count.took += outcome.took;
    if (outcome.status == Status::good) {
        count.bytes += moved.count;
    } else {
        ++count.refused;
    }
    return outcome;
}

template <class T>
Result<T> CardModel::noticed(Result<T> done) {
    if (!done) ++stats_.storage_failures;
    return done;
}

Result<void> CardModel::put(std::uint64_t offset, std::span<const std::byte> from, Durability durability) {
    if (!cache_) return cells_.write(offset, from);
    if (auto done = cache_->write(offset, from, into_cells()); !done) return done;
    if (durability == Durability::cached) return {};
    return cache_->commit(offset, {from.size()}, into_cells());
}

WriteCache::Commit CardModel::into_cells() {
    return [this](std::uint64_t offset, std::span<const std::byte> data) { return cells_.write(offset, data); };
}

} // namespace mediarig::lab

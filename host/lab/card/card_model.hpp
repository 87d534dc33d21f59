// SPDX-License-Identifier: GPL-3.0-or-later
/// Models one medium: computes the duration of each request and applies the medium's effects to the data.
/// Deterministic: the results depend only on the configuration, its start value, and the requests with their times. Not
/// thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "host/base/enum_names.hpp"
#include "host/lab/card/cells.hpp"
#include "host/lab/card/config.hpp"
#include "host/lab/card/sector_set.hpp"
#include "host/lab/card/timing.hpp"
#include "host/lab/card/write_cache.hpp"

namespace mediarig::lab {

using mediarig::name_of;

BOOST_DEFINE_FIXED_ENUM_CLASS(BlockRequest, std::uint8_t, read, write, zero, trim, flush)

/// Point at which a write is complete.
enum class Durability : std::uint8_t {
    cached,  ///< the data may still be in the volatile cache
    through, ///< the data is in the cells ("force unit access")
};

/// Result of a request to the medium.
struct Outcome {
    enum class Status : std::uint8_t {
        good,
        bad_sector,   ///< refused because of the sector `at`; the data before it was transferred
        no_power,     ///< the power was cut and is still off
        out_of_range, ///< past the claimed size, or not whole sectors
    };
    Status status{Status::good};
    std::chrono::nanoseconds took{};
    Lba at{}; ///< the failed sector, for bad_sector
    bool operator==(const Outcome&) const = default;
};

struct RequestCount {
    std::uint64_t requests{}, bytes{}, refused{}; ///< `bytes` counts successful requests only
    std::chrono::nanoseconds took{};
    bool operator==(const RequestCount&) const = default;
};

struct CardStats {
    std::array<RequestCount, enumerators<BlockRequest>.size()> by_request{};
    std::uint64_t power_cuts{};
    std::uint64_t storage_failures{}; ///< requests that failed because of the backing storage, not the modelled medium
    Bytes cached{};                   ///< currently in the volatile cache
    std::optional<Bytes> slc_free_space{};
    double celsius{};
    std::uint64_t bad_sectors{}; ///< sectors whose reads or writes fail
    bool powered{true};
    [[nodiscard]] const RequestCount& of(BlockRequest request) const {
        return by_request.at(static_cast<std::size_t>(request));
    }
};

class CardModel {
public:
    /// `storage` holds `config.real` bytes and must outlive the model.
    CardModel(const CardConfig& config, Storage& storage);

    /// Fails with io_failed only if the storage fails; faults of the medium are returned as an Outcome.
    [[nodiscard]] Result<Outcome> read(std::uint64_t offset, std::span<std::byte> into, Moment now);
    [[nodiscard]] Result<Outcome> write(std::uint64_t offset, std::span<const std::byte> from, Durability durability,
                                        Moment now);
    /// Takes as long as a write; bypasses the cache.
    [[nodiscard]] Result<Outcome> zero(std::uint64_t offset, Bytes size, Moment now);
    /// Makes the range read as zeros. Bypasses the cache and ignores bad sectors.
    [[nodiscard]] Result<Outcome> trim(std::uint64_t offset, Bytes size, Moment now);
    [[nodiscard]] Result<Outcome> flush(Moment now);

    /// Cuts the power and empties the volatile cache according to `loss`; every request fails until power_on(). A
    /// second call without power loses nothing more.
    [[nodiscard]] Result<WriteCache::SectorCounts> power_cut(Loss loss);
    void power_on() { powered_ = true; }
    /// Orderly power-off: loses no acknowledged data.
    [[nodiscard]] Result<void> shut_down();

    // The sectors must be inside the claimed size (fits()).
    void add_bad_sectors(const BadSectors& bad);
    void remove_bad_sectors(const SectorRange& sectors);
    /// Flips bits of the stored data and of the volatile cache. The next write repairs them.
    [[nodiscard]] Result<void> corrupt(const CorruptRegion& region);
    [[nodiscard]] bool fits(const SectorRange& sectors) const;

    void throttle(const Throttle& throttle) { timing_.throttle(throttle); }
    [[nodiscard]] CardStats stats() const;
    [[nodiscard]] const CardConfig& config() const { return config_; }

private:
    [[nodiscard]] std::optional<Outcome> refusal(BlockRequest request, std::uint64_t offset, std::uint64_t size) const;
    Outcome counted(BlockRequest request, Outcome outcome, Bytes moved);
    /// Counts a storage failure; returns `done` unchanged.
    template <class T>
    Result<T> noticed(Result<T> done);
    Result<void> put(std::uint64_t offset, std::span<const std::byte> from, Durability durability);
    [[nodiscard]] WriteCache::Commit into_cells();

    CardConfig config_;
    Cells cells_;
    Timing timing_;
    std::optional<WriteCache> cache_;
    SectorSet unreadable_, unwritable_;
    CardStats stats_;
    bool powered_{true};
};

} // namespace mediarig::lab

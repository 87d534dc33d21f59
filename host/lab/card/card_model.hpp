// SPDX-License-Identifier: GPL-3.0-or-later
/// A medium as an object: it says how long each request takes and does to the data what such a medium does.
/// Deterministic from the configuration, its start value, and the requests with their times. One thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "host/lab/card/cells.hpp"
#include "host/lab/card/config.hpp"
#include "host/lab/card/sector_set.hpp"
#include "host/lab/card/timing.hpp"
#include "host/lab/card/write_cache.hpp"

namespace mediarig::lab {

enum class Request : std::uint8_t { read, write, zero, trim, flush };
inline constexpr std::array all_requests{Request::read, Request::write, Request::zero, Request::trim, Request::flush};
[[nodiscard]] std::string_view name_of(Request request);

/// When a write counts as done.
enum class Durability : std::uint8_t {
    cached,  ///< it may still be in the volatile cache
    through, ///< it is in the cells ("force unit access")
};

/// What the medium answers.
struct Outcome {
    enum class Status : std::uint8_t {
        good,
        bad_sector,   ///< refused because of the sector `at`; what lies before it was transferred
        no_power,     ///< a power cut, and no power since
        out_of_range, ///< past the claimed size, or no whole sectors
    };
    Status status{Status::good};
    std::chrono::nanoseconds took{};
    Lba at{}; ///< of bad_sector
    bool operator==(const Outcome&) const = default;
};

struct RequestCount {
    std::uint64_t requests{}, bytes{}, refused{}; ///< bytes of requests that were good
    std::chrono::nanoseconds took{};
    bool operator==(const RequestCount&) const = default;
};

struct CardStats {
    std::array<RequestCount, all_requests.size()> by_request{};
    std::uint64_t power_cuts{};
    std::uint64_t storage_failures{}; ///< requests that failed because of this machine, not of the modelled medium
    Bytes cached{};                   ///< now in the volatile cache
    std::optional<Bytes> slc_room{};
    double celsius{};
    std::uint64_t bad_sectors{}; ///< sectors that fail to be read or written
    bool powered{true};
    [[nodiscard]] const RequestCount& of(Request request) const {
        return by_request.at(static_cast<std::size_t>(request));
    }
};

class CardModel {
public:
    /// `storage` holds `config.real` bytes and must outlive the model.
    CardModel(const CardConfig& config, Storage& storage);

    /// A request fails with io_failed only if the storage does; everything that is the medium's is an Outcome.
    [[nodiscard]] Result<Outcome> read(std::uint64_t offset, std::span<std::byte> into, Moment now);
    [[nodiscard]] Result<Outcome> write(std::uint64_t offset, std::span<const std::byte> from, Durability durability,
                                        Moment now);
    /// Costs what a write costs; never cached.
    [[nodiscard]] Result<Outcome> zero(std::uint64_t offset, Bytes size, Moment now);
    /// Reads as zeros afterwards; never cached. Bad sectors do not mind.
    [[nodiscard]] Result<Outcome> trim(std::uint64_t offset, Bytes size, Moment now);
    [[nodiscard]] Result<Outcome> flush(Moment now);

    /// Empties the volatile cache as `loss` says; every request fails until power_on(). Where the power is off already,
    /// nothing more is lost.
    [[nodiscard]] Result<WriteCache::SectorCounts> power_cut(Loss loss);
    void power_on() { powered_ = true; }
    /// As when it is switched off in order: nothing acknowledged is lost.
    [[nodiscard]] Result<void> shut_down();

    // Needs sectors inside the claimed size (fits()).
    void add_bad_sectors(const BadSectors& bad);
    void remove_bad_sectors(const SectorRange& sectors);
    /// Flips bits of what is stored, the volatile cache included; the next write heals it.
    [[nodiscard]] Result<void> corrupt(const CorruptRegion& region);
    [[nodiscard]] bool fits(const SectorRange& sectors) const;

    void throttle(const Throttle& throttle) { timing_.throttle(throttle); }
    [[nodiscard]] CardStats stats() const;
    [[nodiscard]] const CardConfig& config() const { return config_; }

private:
    [[nodiscard]] std::optional<Outcome> refusal(Request request, std::uint64_t offset, std::uint64_t size) const;
    Outcome counted(Request request, Outcome outcome, Bytes moved);
    /// `done` or, if the storage failed, its error, counted.
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

// SPDX-License-Identifier: GPL-3.0-or-later
/// Configuration of a modelled medium: sizes, cost of operations, defects. Values only; docs/guide/lab.md describes the
/// JSON form.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"

namespace mediarig::lab {

using mediarig::name_of;

inline constexpr Bytes sector_size{512}; ///< sector size of every modelled medium; unit of positions in a configuration

/// Behaviour of a fake medium past its real size.
BOOST_DEFINE_FIXED_ENUM_CLASS(OverflowBehaviour, std::uint8_t,
                              wrap,   ///< address modulo the real size: overwrites earlier data
                              drop,   ///< writes succeed and are dropped, reads return zeros
                              garbage ///< writes succeed and are dropped, reads return constant noise
)

struct SectorRange {
    Lba first{};
    std::uint64_t count{}; ///< at least 1
    /// One past the last sector.
    [[nodiscard]] std::uint64_t end() const { return first.index + count; }
    bool operator==(const SectorRange&) const = default;
};

/// Cost for requests of at least this size. A request uses the last entry whose size it reaches.
struct SizeClass {
    Bytes from{};
    std::optional<Rate> rate{};                        ///< overrides the rate of the operation
    std::optional<std::chrono::nanoseconds> latency{}; ///< overrides the latency of the operation
    bool operator==(const SizeClass&) const = default;
};

/// Cost of reads or writes.
struct OperationCost {
    std::optional<Rate> rate{};         ///< if not set, transfers take no time
    std::chrono::nanoseconds latency{}; ///< latency of every request
    std::chrono::nanoseconds
        random_latency{};             ///< added if a request does not begin at the end of the last one of its kind
    std::vector<SizeClass> by_size{}; ///< in rising order of `from`
    bool operator==(const OperationCost&) const = default;
};

/// Fast cells that receive writes first and are emptied into the slow cells while the medium is idle.
struct SlcCache {
    Bytes size{};
    Rate direct_rate{};                             ///< rate of writes once the cache is full
    Rate recovery_rate{};                           ///< rate of emptying while idle
    std::chrono::nanoseconds recovery_after_idle{}; ///< idle time before emptying starts
    bool operator==(const SlcCache&) const = default;
};

/// Temperature as one thermal mass: traffic heats it, and it approaches the ambient temperature exponentially.
struct Thermal {
    double ambient_celsius{25};
    double degrees_per_gigabyte{};           ///< temperature rise per 10^9 bytes read or written
    std::chrono::nanoseconds cooling_time{}; ///< time constant: 63 % of the difference is gone then
    double throttle_at_celsius{},
        resume_at_celsius{}; ///< throttling begins at the first temperature and ends below the second
    Rate throttled_rate{};
    bool operator==(const Thermal&) const = default;
};

/// From time to time a write waits for garbage collection.
struct GarbageCollection {
    Bytes every{}; ///< bytes written between two stalls
    std::chrono::nanoseconds stall{};
    unsigned jitter_percent{}; ///< 0 … 100: variation of both values, derived from the start value
    bool operator==(const GarbageCollection&) const = default;
};

/// A rotating disk. Its rate falls from the outer edge, at sector 0, to the inner edge.
struct Disk {
    Rate outer_rate{}, inner_rate{};
    std::chrono::nanoseconds track_to_track{}, full_stroke{};
    std::uint64_t revolutions_per_minute{};
    bool operator==(const Disk&) const = default;
};

/// Granularity of a power cut's effect on the volatile cache: whole blocks survive, or blocks may be torn into sectors.
BOOST_DEFINE_FIXED_ENUM_CLASS(LossUnit, std::uint8_t, block, sector)

/// Acknowledged writes that reach the medium only by a flush or when newer writes displace them.
struct VolatileCache {
    Bytes size{}; ///< at least one block of 4 KiB
    LossUnit loss_unit{LossUnit::block};
    bool operator==(const VolatileCache&) const = default;
};

/// Flash is fastest if whole erase units are written from their start. A few units are open at a time. A unit that is
/// entered in the middle or left before it is full must be copied.
struct EraseUnit {
    Bytes size{};
    std::chrono::nanoseconds partial{}; ///< cost of copying one unit
    std::uint64_t open_units{1};
    bool operator==(const EraseUnit&) const = default;
};

/// A medium that writes only whole units and cannot collect a partial one: it reads and rewrites the part of a unit
/// that a write command does not cover. The speed then depends on the cluster alignment of the file system.
struct ProgramUnit {
    Bytes size{};
    Bytes first{};                      ///< start of the first unit: less than `size`
    std::chrono::nanoseconds partial{}; ///< cost of each unit that a command covers in part
    bool operator==(const ProgramUnit&) const = default;
};

struct BadSectors {
    SectorRange sectors;
    bool fail_reads{true}, fail_writes{true}; ///< at least one of the two is true
    bool operator==(const BadSectors&) const = default;
};

struct SlowSectors {
    SectorRange sectors;
    std::optional<Rate> rate{};       ///< rate limit inside the region
    std::chrono::nanoseconds extra{}; ///< added to each request that touches the region
    bool operator==(const SlowSectors&) const = default;
};

/// Reads return flipped bits without an error, always the same bits.
struct CorruptRegion {
    SectorRange sectors;
    std::uint64_t bits_per_sector{1}; ///< 1 … 4096
    bool operator==(const CorruptRegion&) const = default;
};

struct CardConfig {
    std::string description; ///< description for users, one line
    std::string figures;     ///< source of the figures for users, one line
    Bytes claimed{};         ///< advertised capacity; whole sectors
    Bytes real{};            ///< real capacity; at most `claimed`
    OverflowBehaviour beyond{OverflowBehaviour::wrap};
    bool can_trim{false};
    std::chrono::nanoseconds command_overhead{}; ///< cost of every request of any kind
    /// A transfer that begins within this time after the last one of its kind, and where that one ended, belongs to the
    /// same command and costs only its data. QEMU's SD card passes on every transfer sector by sector.
    std::chrono::nanoseconds joins_within{};
    OperationCost read, write;
    std::chrono::nanoseconds flush_latency{};
    std::optional<SlcCache> slc_cache{};
    std::optional<Thermal> thermal{};
    std::optional<GarbageCollection> garbage_collection{};
    std::optional<Disk> disk{};
    std::optional<VolatileCache> volatile_cache{};
    std::optional<EraseUnit> erase_unit{};
    std::optional<ProgramUnit> program_unit{};
    std::vector<BadSectors> bad_sectors{};
    std::vector<SlowSectors> slow_regions{};
    std::vector<CorruptRegion> corrupt_regions{};
    /// On average one of this number of sectors returns flipped bits; the start value determines which sectors. 0:
    /// none.
    std::uint64_t corrupt_one_sector_in{};
    /// Critical warning of the SMART log of an NVMe disk: bits as in the specification, 0 … 31.
    std::uint8_t smart_critical_warning{};
    std::uint64_t start_value{1};
    bool operator==(const CardConfig&) const = default;
};

/// Settings of a configuration that a user may override.
struct CardOverrides {
    std::optional<Bytes> claimed{}; ///< without `real`, a genuine medium stays genuine and a fake keeps its real size
    std::optional<Bytes> real{};
    std::optional<std::uint64_t> start_value{};
    std::optional<std::chrono::nanoseconds> joins_within{};
    bool operator==(const CardOverrides&) const = default;
};

/// Reads a configuration, applies the overrides and checks the result. Fails with bad_request; the detail begins with
/// the JSON pointer of the first fault and states the number of further ones.
[[nodiscard]] Result<CardConfig> parse_card_config(std::string_view text, const CardOverrides& overrides = {});

} // namespace mediarig::lab

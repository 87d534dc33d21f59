// SPDX-License-Identifier: GPL-3.0-or-later
/// A modelled medium: sizes, cost of operations, defects. Values only; docs/guide/lab.md describes the JSON form.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"

namespace mediarig::lab {

inline constexpr Bytes sector_size{512}; ///< every modelled medium; positions in a configuration count these

/// Where data goes that a fake medium has no room for.
enum class Beyond : std::uint8_t {
    wrap,    ///< onto the place that far from the beginning again: it overwrites what was there
    drop,    ///< nowhere: writes succeed, reads give zeros
    garbage, ///< nowhere: writes succeed, reads give noise, the same each time
};

struct SectorRange {
    Lba first{};
    std::uint64_t count{}; ///< at least 1
    /// One past the last sector.
    [[nodiscard]] std::uint64_t end() const { return first.index + count; }
    bool operator==(const SectorRange&) const = default;
};

/// From this request size on. A request takes the last entry that it reaches.
struct SizeClass {
    Bytes from{};
    std::optional<Rate> rate{};                        ///< in place of the operation's own
    std::optional<std::chrono::nanoseconds> latency{}; ///< in place of the operation's own
    bool operator==(const SizeClass&) const = default;
};

/// What reading or writing costs.
struct OperationCost {
    std::optional<Rate> rate{};         ///< without it, transfers take no time
    std::chrono::nanoseconds latency{}; ///< of every request
    std::chrono::nanoseconds
        random_latency{};             ///< on top, where a request does not begin where the last of its kind ended
    std::vector<SizeClass> by_size{}; ///< by rising `from`
    bool operator==(const OperationCost&) const = default;
};

/// Fast cells that take writes first and are emptied into the slow ones while the medium is idle.
struct SlcCache {
    Bytes size{};
    Rate direct_rate{};                             ///< of writes once it is full
    Rate recovery_rate{};                           ///< at which it empties when idle
    std::chrono::nanoseconds recovery_after_idle{}; ///< how long nothing must have happened before it does
    bool operator==(const SlcCache&) const = default;
};

/// Temperature as one thermal mass: traffic heats it, and it nears the ambient temperature exponentially.
struct Thermal {
    double ambient_celsius{25};
    double degrees_per_gigabyte{};                     ///< 10^9 bytes, read or written
    std::chrono::nanoseconds cooling_time{};           ///< time constant: 63 % of the difference is gone after it
    double throttle_at_celsius{}, resume_at_celsius{}; ///< throttled from the first on, until below the second
    Rate throttled_rate{};
    bool operator==(const Thermal&) const = default;
};

/// Now and then a write waits until the medium has tidied up.
struct GarbageCollection {
    Bytes every{}; ///< bytes written between two stalls
    std::chrono::nanoseconds stall{};
    unsigned jitter_percent{}; ///< 0 … 100: both vary by up to this much, from the start value
    bool operator==(const GarbageCollection&) const = default;
};

/// A rotating disk. Its rate falls from the outer edge, where sector 0 is, to the inner one.
struct Disk {
    Rate outer_rate{}, inner_rate{};
    std::chrono::nanoseconds track_to_track{}, full_stroke{};
    std::uint64_t revolutions_per_minute{};
    bool operator==(const Disk&) const = default;
};

/// What of the volatile cache a power cut decides about as one: a block survives whole, or may be torn.
enum class LossUnit : std::uint8_t { block, sector };

/// Acknowledged writes that are not on the medium before a flush, or before newer ones push them out.
struct VolatileCache {
    Bytes size{}; ///< at least one block of 4 KiB
    LossUnit loss_unit{LossUnit::block};
    bool operator==(const VolatileCache&) const = default;
};

/// Flash writes best in whole erase units, from the start on. A few of them are open at a time; one that is entered in
/// the middle, or left before it is full, has to be copied.
struct EraseUnit {
    Bytes size{};
    std::chrono::nanoseconds partial{}; ///< what one such copy costs
    std::uint64_t open_units{1};
    bool operator==(const EraseUnit&) const = default;
};

/// A medium that writes whole units only, and has no room to collect one: whatever a write command leaves out of a unit
/// that it touches is read and written again. It makes the speed depend on where a file system puts its clusters.
struct ProgramUnit {
    Bytes size{};
    Bytes first{};                      ///< where a unit begins: less than `size`
    std::chrono::nanoseconds partial{}; ///< for each unit that a command touches and does not fill
    bool operator==(const ProgramUnit&) const = default;
};

struct BadSectors {
    SectorRange sectors;
    bool fail_reads{true}, fail_writes{true}; ///< at least one
    bool operator==(const BadSectors&) const = default;
};

struct SlowRegion {
    SectorRange sectors;
    std::optional<Rate> rate{};       ///< cap on what lies inside
    std::chrono::nanoseconds extra{}; ///< for each request that touches it
    bool operator==(const SlowRegion&) const = default;
};

/// Reads give back flipped bits without an error, always the same ones.
struct CorruptRegion {
    SectorRange sectors;
    std::uint64_t bits_per_sector{1}; ///< 1 … 4096
    bool operator==(const CorruptRegion&) const = default;
};

struct CardConfig {
    std::string description; ///< for people: what it is, one line
    std::string figures;     ///< for people: where its figures come from, one line
    Bytes claimed{};         ///< what it says it holds; whole sectors
    Bytes real{};            ///< what it holds; at most `claimed`
    Beyond beyond{Beyond::wrap};
    bool can_trim{false};
    std::chrono::nanoseconds command_overhead{}; ///< of every request of whatever kind
    /// A transfer that goes on where the last of its kind ended, and begins within this time of that end, is part of
    /// the same command and costs its data only. QEMU's SD card hands every transfer over sector by sector.
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
    std::vector<SlowRegion> slow_regions{};
    std::vector<CorruptRegion> corrupt_regions{};
    /// One sector in so many gives flipped bits, scattered by the start value. 0: none.
    std::uint64_t corrupt_one_sector_in{};
    /// What its SMART log warns of where it is an NVMe disk: bits as in the specification, 0 … 31.
    std::uint8_t smart_critical_warning{};
    std::uint64_t start_value{1};
    bool operator==(const CardConfig&) const = default;
};

/// What a user of a configuration may set in its place.
struct CardOverrides {
    std::optional<Bytes> claimed{}; ///< without `real`, an honest medium stays honest, and a fake keeps its real size
    std::optional<Bytes> real{};
    std::optional<std::uint64_t> start_value{};
    std::optional<std::chrono::nanoseconds> joins_within{};
    bool operator==(const CardOverrides&) const = default;
};

/// Reads a configuration and checks it as a whole, overrides applied. Fails with bad_request; the detail begins with
/// the JSON pointer of the first fault and says how many more there are.
[[nodiscard]] Result<CardConfig> parse_card_config(std::string_view text, const CardOverrides& overrides = {});

} // namespace mediarig::lab

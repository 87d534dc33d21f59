// SPDX-License-Identifier: GPL-3.0-or-later
/// Readers of the sections of a configuration. Internal to host/lab/card.
#pragma once

#include "host/base/json/reader.hpp"
#include "host/lab/card/config.hpp"

namespace mediarig::lab {

inline constexpr std::uint64_t most_sectors = std::uint64_t{1} << 41; ///< 1 PiB
inline constexpr std::size_t most_ranges = 4096;                      ///< entries in a list of ranges

// Each function returns nothing after it has reported a fault.
[[nodiscard]] std::optional<std::chrono::nanoseconds> read_ns(const strict_json::Node& node); ///< 0 … 1000 s
[[nodiscard]] std::optional<Rate> read_rate(const strict_json::Node& node); ///< 1 … 10^12 bytes per second
[[nodiscard]] std::optional<OperationCost> read_operation(const strict_json::Node& node);
[[nodiscard]] std::optional<SlcCache> read_slc_cache(const strict_json::Node& node);
[[nodiscard]] std::optional<Thermal> read_thermal(const strict_json::Node& node);
[[nodiscard]] std::optional<GarbageCollection> read_garbage_collection(const strict_json::Node& node);
[[nodiscard]] std::optional<Disk> read_disk(const strict_json::Node& node);
[[nodiscard]] std::optional<VolatileCache> read_volatile_cache(const strict_json::Node& node);
[[nodiscard]] std::optional<EraseUnit> read_erase_unit(const strict_json::Node& node);
[[nodiscard]] std::optional<ProgramUnit> read_program_unit(const strict_json::Node& node);
[[nodiscard]] std::optional<BadSectors> read_bad_sectors(const strict_json::Node& node);
[[nodiscard]] std::optional<SlowSectors> read_slow_region(const strict_json::Node& node);
[[nodiscard]] std::optional<CorruptRegion> read_corrupt_region(const strict_json::Node& node);

/// Reads the members "first_sector" and "sector_count" (default 1).
[[nodiscard]] std::optional<SectorRange> read_sectors(strict_json::Members& members);

} // namespace mediarig::lab

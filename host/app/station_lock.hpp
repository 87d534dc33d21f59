// SPDX-License-Identifier: GPL-3.0-or-later
/// A station whose golden medium was measured out of its limits measures nothing else until that is mended:
/// "station-lock.json" beside the store.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "host/result.hpp"

namespace mediarig::app {

struct StationLock {
    std::string device, cell; ///< what was charted
    std::string why;          ///< one line: the value, and the rule that it broke
    std::string since;        ///< "2026-11-25", UTC
    bool operator==(const StationLock&) const = default;
};

/// Nothing where the station is free. A lock that cannot be read is an error, not freedom: bad_request, io_failed.
[[nodiscard]] Result<std::optional<StationLock>> station_lock(const std::filesystem::path& store);
[[nodiscard]] Result<void> lock_station(const std::filesystem::path& store, const StationLock& lock);
/// The one about this medium and cell; any other stays.
[[nodiscard]] Result<void> unlock_station(const std::filesystem::path& store, const std::string& device,
                                          const std::string& cell);
/// Fails with refused while it is locked, saying why and how it becomes free; and as station_lock().
[[nodiscard]] Result<void> check_station_free(const std::filesystem::path& store);

} // namespace mediarig::app

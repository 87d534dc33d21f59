// SPDX-License-Identifier: GPL-3.0-or-later
/// Keeps two processes from walking through the same campaign at once. The kernel drops it when the process ends,
/// however it ends. One file beside the store, "STORE.lock", serves all its campaigns, one byte of it each: it stays,
/// and nothing else is left by a process that was killed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"

namespace mediarig::app {

class CampaignLock {
public:
    /// Fails with refused (another process holds it) or store_failed.
    [[nodiscard]] static Result<CampaignLock> take(const std::filesystem::path& store, const std::string& campaign);
    /// Whether a process is at work on it; false where that cannot be told.
    [[nodiscard]] static bool is_held(const std::filesystem::path& store, const std::string& campaign);
    /// Whether a process is at work on a campaign that is none of these; false where that cannot be told.
    [[nodiscard]] static bool is_another_held(const std::filesystem::path& store,
                                              const std::vector<std::string>& campaigns);

private:
    explicit CampaignLock(Descriptor file) : file_(std::move(file)) {}
    Descriptor file_;
};

/// A station whose golden medium was measured out of its limits measures nothing else until that is mended:
/// "station-lock.json" beside the store.
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

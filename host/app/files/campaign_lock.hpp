// SPDX-License-Identifier: GPL-3.0-or-later
/// Prevents two processes from running the same campaign. The kernel releases the lock when the process ends for any
/// reason. One file next to the store, "STORE.lock", contains one byte per campaign. The file is never removed, and a
/// killed process leaves no other file.
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
    /// Fails with refused (another process holds the lock) or store_failed.
    [[nodiscard]] static Result<CampaignLock> take(const std::filesystem::path& store, const std::string& campaign);
    /// True if a process runs the campaign; false if that cannot be determined.
    [[nodiscard]] static bool is_held(const std::filesystem::path& store, const std::string& campaign);
    /// True if a process runs a campaign that is not in `campaigns`; false if that cannot be determined.
    [[nodiscard]] static bool any_other_is_held(const std::filesystem::path& store,
                                                const std::vector<std::string>& campaigns);

private:
    explicit CampaignLock(Descriptor file) : file_(std::move(file)) {}
    Descriptor file_;
};

/// Lock of a station whose golden medium was out of its limits: the station measures nothing else until the cause is
/// corrected. Stored in "station-lock.json" next to the store.
struct StationLock {
    std::string device, cell; ///< chart that raised the lock
    std::string why;          ///< one line: the value and the violated rule
    std::string since;        ///< "2026-11-25", UTC
    bool operator==(const StationLock&) const = default;
};

/// Returns nothing if the station is unlocked. An unreadable lock is an error, not an unlocked station: bad_request,
/// io_failed.
[[nodiscard]] Result<std::optional<StationLock>> station_lock(const std::filesystem::path& store);
[[nodiscard]] Result<void> lock_station(const std::filesystem::path& store, const StationLock& lock);
/// Removes the lock of this medium and cell; keeps a lock of another medium or cell.
[[nodiscard]] Result<void> unlock_station(const std::filesystem::path& store, const std::string& device,
                                          const std::string& cell);
/// Fails with refused while the station is locked, with the reason and the way to unlock it; also fails like
/// station_lock().
[[nodiscard]] Result<void> check_station_free(const std::filesystem::path& store);

} // namespace mediarig::app

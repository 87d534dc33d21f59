// SPDX-License-Identifier: GPL-3.0-or-later
/// A device log back into records: the same views that the database gives, without the database.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "host/result.hpp"
#include "host/store/record.hpp"

namespace mediarig::store {

struct DeviceHistory {
    std::vector<CampaignView> campaigns; ///< in the order in which they began on this device; one device in each
    std::uint64_t torn_lines{};          ///< cut off by a crash: of calls that had not returned
    std::uint64_t stray_lines{};         ///< about a campaign, device or pass of which no earlier line tells
};

/// Fails with store_failed where the file cannot be read or was written by another version of mediarig, and with
/// bad_format, naming the line, where one is damaged otherwise than by a crash.
[[nodiscard]] Result<DeviceHistory> read_device_log(const std::filesystem::path& path);

/// Latencies of one cell, nanoseconds; empty where none were kept. Fails as above, and with bad_request where the log
/// holds no such cell.
[[nodiscard]] Result<std::vector<std::uint32_t>> read_raw_log(const std::filesystem::path& path,
                                                              const std::string& campaign, const std::string& pass,
                                                              const std::string& cell);

} // namespace mediarig::store

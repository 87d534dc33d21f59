// SPDX-License-Identifier: GPL-3.0-or-later
/// The lines of a device log, one function per kind. Each is one JSON object without a line end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/store/record.hpp"

namespace mediarig::store::log_line {

/// Incremented if an old reader could misinterpret a new log. New members and new kinds of lines do not change the
/// version.
inline constexpr int version = 1;

[[nodiscard]] std::string campaign(const CampaignRecord& campaign);
[[nodiscard]] std::string campaign_end(const std::string& campaign, CampaignState state, TimePoint at);
[[nodiscard]] std::string device(const std::string& campaign, const DeviceRecord& device);
[[nodiscard]] std::string format(const std::string& campaign, const FormatRecord& made);
[[nodiscard]] std::string pass(const std::string& campaign, const PassRecord& pass);
/// cell(): the chunks of the raw log, if a raw log was kept, followed by the cell itself, which makes the chunks valid.
[[nodiscard]] std::vector<std::string> cell(const std::string& campaign, const std::string& pass,
                                            const workload::CellResult& cell);
[[nodiscard]] std::string pass_end(const std::string& campaign, const std::string& pass, const PassEnd& end);
[[nodiscard]] std::string entry(const std::string& campaign, const DeviceEntry& entry);
/// Reports that a crash cut off the previous line.
[[nodiscard]] std::string torn();

} // namespace mediarig::store::log_line

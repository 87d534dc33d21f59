// SPDX-License-Identifier: GPL-3.0-or-later
/// JSON forms of records in device logs and reports and, in part, in the database. Times are nanoseconds since 1970
/// UTC. New versions only add members: readers ignore unknown members.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "host/base/result.hpp"
#include "host/measure/json.hpp"
#include "host/store/record.hpp"

namespace mediarig::store {

[[nodiscard]] nlohmann::json to_json(const CampaignRecord& campaign);
[[nodiscard]] nlohmann::json to_json(const DeviceRecord& device);
[[nodiscard]] nlohmann::json to_json(const FormatRecord& made);
[[nodiscard]] nlohmann::json to_json(const PassRecord& pass);
[[nodiscard]] nlohmann::json to_json(const Condition& condition);
[[nodiscard]] Result<Condition> condition_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const PassEnd& end);
[[nodiscard]] nlohmann::json to_json(const DeviceEntry& entry);
/// "finding", "check", "detachment", "untested", "verdict"
[[nodiscard]] std::string_view kind_of(const DeviceEntry& entry);

/// Check before storing that a record can be read back. Readers reject values that are out of range, and a single
/// unreadable record would make the whole campaign unreadable. No JSON is created. Each function fails with bad_request
/// and the name of the member.
[[nodiscard]] Result<void> readable(const DeviceRecord& device);
[[nodiscard]] Result<void> readable(const FormatRecord& made);
[[nodiscard]] Result<void> readable(const PassRecord& pass);
[[nodiscard]] Result<void> readable(const workload::CellResult& cell);
[[nodiscard]] Result<void> readable(const PassEnd& end);
[[nodiscard]] Result<void> readable(const DeviceEntry& entry);

} // namespace mediarig::store

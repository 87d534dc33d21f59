// SPDX-License-Identifier: GPL-3.0-or-later
/// JSON forms of records, as written into the device logs and reports and, in parts, into the database. Times are
/// nanoseconds since 1970 UTC. They only grow: readers ignore members that they do not know.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "host/base/result.hpp"
#include "host/measure/json.hpp"
#include "host/store/record.hpp"

namespace mediarig::store {

[[nodiscard]] std::string_view name_of(CampaignState state); ///< "running", "finished", "interrupted", "failed"
[[nodiscard]] std::string_view name_of(RestUntil until);     ///< "time", "rate", "temperature"
[[nodiscard]] std::string_view name_of(StepState state);     ///< "started", "done", "failed", "sorted"
[[nodiscard]] Result<CampaignState> campaign_state_from(std::string_view name);
[[nodiscard]] Result<StepState> step_state_from(std::string_view name);
[[nodiscard]] Result<RestUntil> rest_until_from(std::string_view name);

[[nodiscard]] nlohmann::json to_json(const CampaignRecord& campaign);
[[nodiscard]] nlohmann::json to_json(const DeviceRecord& device);
[[nodiscard]] nlohmann::json to_json(const MadeFormat& made);
[[nodiscard]] nlohmann::json to_json(const PassRecord& pass);
[[nodiscard]] nlohmann::json to_json(const Condition& condition);
[[nodiscard]] Result<Condition> condition_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const PassEnd& end);
[[nodiscard]] nlohmann::json to_json(const FindingRecord& finding);

/// Asked before anything is kept: would it read back? Readers refuse what is out of range, and one record that cannot
/// be read would take its whole campaign with it. No JSON is made. Each fails with bad_request, naming the member.
[[nodiscard]] Result<void> readable(const DeviceRecord& device);
[[nodiscard]] Result<void> readable(const MadeFormat& made);
[[nodiscard]] Result<void> readable(const PassRecord& pass);
[[nodiscard]] Result<void> readable(const workload::CellResult& cell);
[[nodiscard]] Result<void> readable(const PassEnd& end);
[[nodiscard]] Result<void> readable(const FindingRecord& finding);
[[nodiscard]] Result<void> readable(const media::CheckReport& check);

} // namespace mediarig::store

// SPDX-License-Identifier: GPL-3.0-or-later
/// JSON forms of records, as they stand in device logs and in the store's text columns: bytes, nanoseconds and plain
/// counts. They only grow: readers ignore unknown members, and a missing optional member means its default.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "host/result.hpp"
#include "host/store/record.hpp"

namespace mediarig::store {

[[nodiscard]] std::string_view name_of(CampaignState state); ///< "running", "finished", "interrupted", "failed"
[[nodiscard]] std::string_view name_of(StepState state);     ///< "started", "done", "failed"
[[nodiscard]] Result<CampaignState> campaign_state_from(std::string_view name);
[[nodiscard]] Result<StepState> step_state_from(std::string_view name);

/// Each inverse fails with bad_format, naming the record and the member.
[[nodiscard]] nlohmann::json to_json(const CampaignRecord& campaign);
[[nodiscard]] Result<CampaignRecord> campaign_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const DeviceRecord& device);
[[nodiscard]] Result<DeviceRecord> device_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const MadeFormat& made);
[[nodiscard]] Result<MadeFormat> made_format_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const PassRecord& pass);
[[nodiscard]] Result<PassRecord> pass_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const PassEnd& end);
[[nodiscard]] Result<PassEnd> pass_end_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const FindingRecord& finding);
[[nodiscard]] Result<FindingRecord> finding_record_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const measure::Verdict& verdict);
[[nodiscard]] Result<measure::Verdict> verdict_from_json(const nlohmann::json& json);

/// One line of UTF-8. Bytes that are none (a medium says what it likes of itself) become U+FFFD.
[[nodiscard]] std::string text_of(const nlohmann::json& json);

} // namespace mediarig::store

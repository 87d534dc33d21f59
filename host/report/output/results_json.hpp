// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes a campaign as JSON according to docs/schemas/results.schema.json, in bytes, nanoseconds and counts. New
/// versions only add members.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "host/base/result.hpp"
#include "host/report/text/display_text.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

enum class Detail : std::uint8_t {
    full,
    summary, ///< without per-second series, latency buckets and raw latencies
};

/// All texts are valid UTF-8, so that dump() cannot fail.
[[nodiscard]] nlohmann::json results_json(const store::CampaignView& campaign, Detail detail = Detail::full);

/// Receives the next part of a text; fails if it cannot be written.
using TextSink = std::function<Result<void>(std::string_view part)>;
/// Writes exactly the text of results_json() with a line end, one device at a time. Fails as `load` and `take`.
[[nodiscard]] Result<void> write_results_json(store::CampaignView&& outline, const LoadDevice& load,
                                              const TextSink& take);

/// Returns the record of one device as reproducible bytes: the exact output of `mediarig results CAMPAIGN --device KEY
/// --json`, the campaign with only this device, according to docs/schemas/results.schema.json; sorted members, indented
/// by two spaces, with a final line feed.
[[nodiscard]] std::string device_record(const store::CampaignRecord& campaign, const store::DeviceView& device);

/// Returns SHA-256 (FIPS 180-4) as 64 hexadecimal digits, as sha256sum prints it.
[[nodiscard]] std::string sha256_of(std::string_view bytes);

} // namespace mediarig::report

// SPDX-License-Identifier: GPL-3.0-or-later
/// A campaign as JSON by docs/schemas/results.schema.json, in bytes, nanoseconds and counts. Members are only added.
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
    summary, ///< without per-second series and latency buckets
};

/// Every text in it is valid UTF-8, so that dump() cannot fail.
[[nodiscard]] nlohmann::json results_json(const store::CampaignView& campaign, Detail detail = Detail::full);

/// Takes the next part of a text; fails where it cannot be written.
using TakeText = std::function<Result<void>(std::string_view part)>;
/// The text of results_json() with a line end, byte for byte, a device at a time. Fails as `load` and `take`.
[[nodiscard]] Result<void> write_results_json(store::CampaignView&& outline, const LoadDevice& load,
                                              const TakeText& take);

/// The record of one device as bytes that anybody can make again, and their sum. Pure.

/// The exact output of `mediarig results CAMPAIGN --device KEY --json`: the campaign with only this device, by
/// docs/schemas/results.schema.json; sorted members, indented by two blanks, with a final line feed.
[[nodiscard]] std::string device_record(const store::CampaignRecord& campaign, const store::DeviceView& device);

/// SHA-256 (FIPS 180-4) as 64 hexadecimal digits, as sha256sum prints it.
[[nodiscard]] std::string sha256_of(std::string_view bytes);

} // namespace mediarig::report

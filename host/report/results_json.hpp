// SPDX-License-Identifier: GPL-3.0-or-later
/// A campaign as JSON by docs/schemas/results.schema.json, in bytes, nanoseconds and counts. Members are only added.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "host/report/one_by_one.hpp"
#include "host/result.hpp"
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

} // namespace mediarig::report

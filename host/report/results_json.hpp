// SPDX-License-Identifier: GPL-3.0-or-later
/// A campaign as JSON; docs/results.schema.json describes it. Bytes, nanoseconds and plain counts; it only grows.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "host/store/record.hpp"

namespace mediarig::report {

enum class Detail : std::uint8_t {
    full,
    summary, ///< without per-second series and latency buckets
};

/// Every text in it is valid UTF-8, so that dump() cannot fail.
[[nodiscard]] nlohmann::json results_json(const store::CampaignView& campaign, Detail detail = Detail::full);

} // namespace mediarig::report

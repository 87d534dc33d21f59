// SPDX-License-Identifier: GPL-3.0-or-later
/// Ids of campaigns: UUIDv7 (RFC 9562, section 5.7), so that they are unique over machines and sort by time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "host/store/record.hpp"

namespace mediarig::store {

/// Returns 64 random bits per call.
using RandomSource = std::function<std::uint64_t()>;

/// Returns "0193b4c1-7a2e-7d3f-9c41-5be0d1a2f6e7". The twelve bits after the milliseconds contain the fraction of the
/// millisecond (RFC 9562, section 6.2, method 3): two ids of one host sort by time to within 250 ns. Requires `now` >=
/// 1970.
[[nodiscard]] std::string new_campaign_id(TimePoint now, const RandomSource& random);

/// True if `text` has the form of a campaign id: a UUID in lower case.
[[nodiscard]] bool is_campaign_id(std::string_view text);

/// Returns the time in an id, in whole milliseconds; empty if `text` is no campaign id.
[[nodiscard]] std::optional<TimePoint> time_of_campaign_id(std::string_view text);

/// Returns bits from the operating system.
[[nodiscard]] RandomSource system_random();

} // namespace mediarig::store

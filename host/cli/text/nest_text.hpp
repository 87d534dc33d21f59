// SPDX-License-Identifier: GPL-3.0-or-later
/// Result of the rig's identity nest as text and JSON. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/media/identity/indications.hpp"
#include "host/rig/port/nest_reading.hpp"

namespace mediarig::cli {

/// Returns each unreadable register with the reason, then the table and the signs of a fake in the form of `mediarig
/// inspect`.
[[nodiscard]] std::string nest_text(const rig::NestReading& reading, media::CalendarMonth now);
[[nodiscard]] nlohmann::json nest_json(const rig::NestReading& reading, media::CalendarMonth now);

} // namespace mediarig::cli

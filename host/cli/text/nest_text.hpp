// SPDX-License-Identifier: GPL-3.0-or-later
/// Result of the rig's identity nest as text and JSON. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/media/identity/indications.hpp"
#include "host/rig/port/nest_reading.hpp"

namespace mediarig::cli {

/// The table and the signs of a fake, as `mediarig inspect` prints them for a card with readable registers, preceded by
/// each unreadable register and the reason.
[[nodiscard]] std::string nest_text(const rig::NestReading& reading, media::CalendarMonth now);
[[nodiscard]] nlohmann::json nest_json(const rig::NestReading& reading, media::CalendarMonth now);

} // namespace mediarig::cli

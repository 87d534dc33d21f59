// SPDX-License-Identifier: GPL-3.0-or-later
/// What the rig's identity nest read, as people read it in a terminal and programs in JSON. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/media/identity/indications.hpp"
#include "host/rig/port/nest_reading.hpp"

namespace mediarig::cli {

/// The table and the signs that `mediarig inspect` shows for a card whose registers it can read; before them each
/// register that could not be read, and why.
[[nodiscard]] std::string nest_text(const rig::NestReading& reading, media::CalendarMonth now);
[[nodiscard]] nlohmann::json nest_json(const rig::NestReading& reading, media::CalendarMonth now);

} // namespace mediarig::cli

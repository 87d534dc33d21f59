// SPDX-License-Identifier: GPL-3.0-or-later
/// {"rung": 4, "reached": "supply_cut", "attempted": "supply_cut", "vanished": true, "lowest_millivolts": 12, …}.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/base/result.hpp"
#include "host/rig/port/detachment.hpp"

namespace mediarig::rig {

[[nodiscard]] nlohmann::json to_json(const Detachment& detachment);
/// The rung is computed again; a text that claims another one is bad_format, like every other fault.
[[nodiscard]] Result<Detachment> detachment_from_json(const nlohmann::json& from);

} // namespace mediarig::rig

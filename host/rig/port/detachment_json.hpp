// SPDX-License-Identifier: GPL-3.0-or-later
/// Converts a detachment to JSON and back: {"level": 4, "reached": "supply_cut", "attempted": "supply_cut", "vanished":
/// true, "lowest_millivolts": 12, …}.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/base/result.hpp"
#include "host/rig/port/detachment.hpp"

namespace mediarig::rig {

[[nodiscard]] nlohmann::json to_json(const Detachment& detachment);
/// Computes the level again; fails with bad_format if the text claims another level, and for any other fault.
[[nodiscard]] Result<Detachment> detachment_from_json(const nlohmann::json& from);

} // namespace mediarig::rig

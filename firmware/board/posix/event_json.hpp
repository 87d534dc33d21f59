// SPDX-License-Identifier: GPL-3.0-or-later
/// What the simulator says to programs: one JSON object a line. Numbers as on the wire, from 0.
#pragma once

#include <string>
#include <string_view>

#include "firmware/plant/plant.hpp"

namespace mediarig::board {

/// {"what":"card_inserted","port":0,"card":3,"at_ns":1234}
[[nodiscard]] std::string event_json(const plant::PlantEvent& event);
/// Where axes and cards are.
[[nodiscard]] std::string state_json(const plant::Plant& plant, bool firmware_runs);
/// {"ok":true}, or {"ok":false,"error":"…"} where `error` says something.
[[nodiscard]] std::string answer_json(std::string_view error);
[[nodiscard]] std::string json_string(std::string_view text);

} // namespace mediarig::board

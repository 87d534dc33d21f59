// SPDX-License-Identifier: GPL-3.0-or-later
/// Output of the simulator for programs: one JSON object per line. Numbers as in the protocol, from 0.
#pragma once

#include <string>
#include <string_view>

#include "firmware/plant/plant.hpp"

namespace mediarig::board {

/// {"what":"card_inserted","port":0,"card":3,"at_ns":1234}
[[nodiscard]] std::string event_json(const plant::PlantEvent& event);
/// State of axes and cards.
[[nodiscard]] std::string state_json(const plant::Plant& plant, bool firmware_runs);
/// {"ok":true}, or {"ok":false,"error":"…"} if `error` is not empty.
[[nodiscard]] std::string answer_json(std::string_view error);
[[nodiscard]] std::string json_string(std::string_view text);

} // namespace mediarig::board

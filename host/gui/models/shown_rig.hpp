// SPDX-License-Identifier: GPL-3.0-or-later
/// A rig as `mediarig rig status --json` says it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::gui {

enum class Light : std::uint8_t { dark, lit, blinking };

/// One reader with the switch of its supply.
struct ShownPort {
    unsigned number{}; ///< from 1, as engraved
    bool card{};
    std::string state; ///< "on", "tripped", …
    Light light{};     ///< see docs/development/firmware.md
    unsigned millivolts{}, milliamperes{}, insertions{};
    std::string fault; ///< what happened and what to do; empty where nothing did
};
struct ShownPlace {
    std::string name; ///< of a bin; of others their number, from 1
    int x{};          ///< steps from home
};
struct ShownRig {
    std::string description, state;
    std::string fault; ///< what happened and what to do; empty where nothing did
    bool homed{}, safety_closed{}, holding{}, motors_on{};
    unsigned running_job{};
    int x{}, travel{};
    std::vector<ShownPort> ports;
    std::vector<ShownPlace> pockets, readers, bins;
    std::optional<int> nest;
};

/// Fails with bad_format. What the board and the rig file say is safe to show.
[[nodiscard]] Result<ShownRig> rig_from_json(std::string_view text);

/// At which place the carriage stands: one of the rig's, or null where it stands between them or is not homed.
[[nodiscard]] const ShownPlace* place_of_carriage(const ShownRig& rig);

} // namespace mediarig::gui

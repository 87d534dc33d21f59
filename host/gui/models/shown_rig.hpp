// SPDX-License-Identifier: GPL-3.0-or-later
/// State of a rig, parsed from `mediarig rig status --json`. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::gui {

enum class Light : std::uint8_t { dark, lit, blinking };

/// One reader and the switch of its power supply.
struct ShownPort {
    unsigned number{}; ///< from 1, as engraved on the rig
    bool card{};
    std::string state; ///< "on", "tripped", …
    Light light{};     ///< see docs/development/firmware.md
    unsigned millivolts{}, milliamperes{}, insertions{};
    std::string fault; ///< the fault and the action to take; empty without a fault
};
struct ShownPlace {
    std::string name; ///< name of a bin; number of other places, from 1
    int x{};          ///< steps from home
};
struct ShownRig {
    std::string description, state;
    std::string fault; ///< the fault and the action to take; empty without a fault
    bool homed{}, safety_closed{}, holding{}, motors_on{};
    unsigned running_job{};
    int x{}, travel{};
    std::vector<ShownPort> ports;
    std::vector<ShownPlace> pockets, readers, bins;
    std::optional<int> nest;
};

/// Fails with bad_format. All texts are printable.
[[nodiscard]] Result<ShownRig> rig_from_json(std::string_view text);

/// Place of the carriage; null if it is between places or not homed.
[[nodiscard]] const ShownPlace* place_of_carriage(const ShownRig& rig);

} // namespace mediarig::gui

// SPDX-License-Identifier: GPL-3.0-or-later
/// Plays a scenario: firmware, plant and host in one process, in virtual time, with real frames.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/firmware/scripts/scenario.hpp"

namespace mediarig::scenario {

struct Played {
    std::vector<std::string> failures; ///< "line 12, then job 3 is done: job 3 failed with jam"; empty: all lines hold
    std::vector<std::string> hazards;  ///< names of the forbidden events; each event is also a failure
    std::uint64_t fingerprint{};       ///< fingerprint of the plant at the end
    plant::Nanoseconds took{};         ///< virtual time
};

/// Ends at the first line that does not hold. Also checks that the rig did nothing forbidden (plant::Hazards).
[[nodiscard]] Played play(const Scenario& scenario);

enum class Purpose : std::uint8_t {
    expectations,
    hazards ///< ignore the expectations; a careless operator clears and homes a latched rig
};
/// Plays a scenario with additional injections (sentences) from its start.
[[nodiscard]] Played play(const Scenario& scenario, const std::vector<std::string>& injections, Purpose purpose);

} // namespace mediarig::scenario

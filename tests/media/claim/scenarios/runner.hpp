// SPDX-License-Identifier: GPL-3.0-or-later
/// Plays many scenarios, each in a separate process, and cleans up after each scenario, however it ended.
#pragma once

#include <functional>

#include "tests/media/claim/scenarios/scenario.hpp"

namespace mediarig::claim_scenarios {

/// Plays the scenarios `first` to `first + count - 1` in `workers` parallel processes. Passes each result to the
/// callback.
void play_scenarios(std::uint64_t first, std::uint64_t count, unsigned workers, const ScenarioSetting& setting,
                    const std::function<void(std::uint64_t, const ScenarioResult&)>& heard);

} // namespace mediarig::claim_scenarios

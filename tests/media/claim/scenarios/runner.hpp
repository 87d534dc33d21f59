// SPDX-License-Identifier: GPL-3.0-or-later
/// Plays many scenarios, each in a process of its own, and clears away after each, however it ended.
#pragma once

#include <functional>

#include "tests/media/claim/scenarios/scenario.hpp"

namespace mediarig::claim_scenarios {

/// Scenarios `first` to `first + count - 1` by `workers` processes side by side; `heard` is called for each as it ends.
void play_scenarios(std::uint64_t first, std::uint64_t count, unsigned workers, const ScenarioSetting& setting,
                    const std::function<void(std::uint64_t, const ScenarioResult&)>& heard);

} // namespace mediarig::claim_scenarios

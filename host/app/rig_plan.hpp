// SPDX-License-Identifier: GPL-3.0-or-later
/// What a plan comes to on the rig that was chosen.
#pragma once

#include <vector>

#include "host/app/rig_choice.hpp"
#include "host/plan/plan.hpp"
#include "host/result.hpp"
#include "host/rig/config/rig_config.hpp"

namespace mediarig::app {

/// The plan with all of the rig's slots where it asks for them. Fails with bad_request where its slots need a rig and
/// none was chosen, or one that cannot say how many it has, and with what rig_for() fails with.
[[nodiscard]] Result<plan::Plan> plan_on(const RigChoice& choice, const plan::Plan& plan);

/// The cards of the plan's lab but those that never appear ("dead").
[[nodiscard]] std::vector<plan::LabMedium> living_cards(const plan::Plan& plan);

/// Where its readers and slots are declared to be.
[[nodiscard]] std::vector<std::string> usb_paths_of(const rig::RigConfig& config);

} // namespace mediarig::app

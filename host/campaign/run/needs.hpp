// SPDX-License-Identifier: GPL-3.0-or-later
/// What a step needs for itself while other media are at work. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/campaign/resources/admission.hpp"
#include "host/campaign/resources/transfers.hpp"
#include "host/campaign/run/medium_state.hpp"
#include "host/plan/steps.hpp"

namespace mediarig::session {

inline constexpr const char* the_rig = "rig";
inline constexpr const char* processor = "processor";

/// What the transfers of a medium share with other media: its host controller, or the file system below an image. Media
/// of which that is not known are taken to share one.
[[nodiscard]] std::string bus_of(const media::Medium& medium);

/// The same with the USB hubs on the way, the bus first.
[[nodiscard]] std::vector<std::string> uplinks_of(const media::Medium& medium);

/// Loading and unloading: the rig alone. What is measured by single requests, and passes that are compared: their bus
/// alone and a processor. What is measured by long transfers: a processor, and each uplink whose ceiling is known
/// beside others, as long as all of them together stay within the admitted part of it; any other uplink alone.
/// Whatever else transfers: its uplinks, shared. Everything else nothing: a medium that hangs there delays no other
/// one.
[[nodiscard]] std::vector<Need> needs_of(const plan::Step& step, const MediumState& medium, const UplinkUse& uplinks);
/// A pass that is made alone, whatever it measures.
[[nodiscard]] std::vector<Need> needs_alone(const MediumState& medium);
/// What Admission is to know of the uplinks' rates.
[[nodiscard]] std::map<std::string, double> admitted_rates(const UplinkUse& uplinks);

} // namespace mediarig::session

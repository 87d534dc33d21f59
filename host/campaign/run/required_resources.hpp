// SPDX-License-Identifier: GPL-3.0-or-later
/// Resources that a step needs while other media are in use. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/campaign/resources/admission.hpp"
#include "host/campaign/resources/transfers.hpp"
#include "host/campaign/run/medium_state.hpp"
#include "host/plan/steps.hpp"

namespace mediarig::campaign {

inline constexpr const char* the_rig = "rig";
inline constexpr const char* processor = "processor";

/// Returns the name of the resource that the transfers of a medium share: its host controller, or the file system that
/// contains an image. All media without a known one share one name.
[[nodiscard]] std::string bus_of(const media::Medium& medium);

/// Returns the bus, followed by the USB hubs on the way.
[[nodiscard]] std::vector<std::string> uplinks_of(const media::Medium& medium);

/// Returns the needs by kind of step. Loading and unloading: the rig alone. Measurement by single requests, and
/// compared passes: their bus alone and a processor. Measurement by long transfers: a processor, and each uplink with a
/// known ceiling together with others, as long as their sum stays within the admitted part of it; other uplinks alone.
/// Other transfers: their uplinks, shared. Other steps: nothing, so that an unresponsive medium delays no
/// other one.
[[nodiscard]] std::vector<ResourceRequest> required_resources(const plan::Step& step, const MediumState& medium,
                                                              const UplinkUse& uplinks);
/// Returns the needs of a pass that is made alone, whatever it measures.
[[nodiscard]] std::vector<ResourceRequest> exclusive_resources(const MediumState& medium);
/// Returns the rates of uplinks for Admission.
[[nodiscard]] std::map<std::string, double> admitted_rates(const UplinkUse& uplinks);

} // namespace mediarig::campaign

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
/// contains an image. All media whose resource is unknown share one name.
[[nodiscard]] std::string bus_of(const media::Medium& medium);

/// Returns the bus, followed by the USB hubs between the bus and the medium.
[[nodiscard]] std::vector<std::string> uplinks_of(const media::Medium& medium);

/// Returns the resources by kind of step. Loading and unloading: the rig, exclusively. Measurement by single requests,
/// and compared passes: the bus of the medium, exclusively, and a processor. Measurement by long transfers: a
/// processor; each uplink with a known capacity together with others, as long as the sum stays within the admitted part
/// of the capacity; other uplinks exclusively. Other transfers: their uplinks, shared. Other steps: nothing, so that an
/// unresponsive medium does not delay other media.
[[nodiscard]] std::vector<ResourceRequest> required_resources(const plan::Step& step, const MediumState& medium,
                                                              const UplinkUse& uplinks);
/// Returns the resources of a pass that must run alone, regardless of its suite.
[[nodiscard]] std::vector<ResourceRequest> exclusive_resources(const MediumState& medium);
/// Returns the rates of uplinks for Admission.
[[nodiscard]] std::map<std::string, double> admitted_rates(const UplinkUse& uplinks);

} // namespace mediarig::campaign

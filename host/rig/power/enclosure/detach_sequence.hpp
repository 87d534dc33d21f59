// SPDX-License-Identifier: GPL-3.0-or-later
/// Separating a Thunderbolt or USB4 enclosure and bringing the very same one back. The order of the steps is fixed: a
/// running tunnel is never cut under a disk that was not removed first.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/rig/port/detachment.hpp"
#include "host/rig/power/enclosure/enclosures.hpp"

namespace mediarig::rig {

enum class EnclosureStep : std::uint8_t {
    quiesce,     ///< nothing on its disks is in use, and what was written is flushed
    remove,      ///< the kernel lets go of its disks
    deauthorize, ///< PCIe is taken from it; only where the domain allows that
    supply_off,  ///< its mains plug, by measurement
    withdraw,    ///< in place of the plug: a person pulls the cable
    wait_gone,   ///< it is not on the bus any more
    supply_on,
    plug_in,   ///< in place of the plug: a person plugs it in again
    wait_back, ///< the enclosure with the same unique id is there
    authorize, ///< where it is not by itself
};
[[nodiscard]] std::string_view name_of(EnclosureStep step);

/// Who can take its supply.
enum class EnclosureSupply : std::uint8_t { plug, person };

/// The steps for this enclosure, in order. Bus-powered ones have nothing to switch: a person pulls the cable.
[[nodiscard]] std::vector<EnclosureStep> steps_for(const Enclosure& enclosure, EnclosureSupply supply);

/// What the steps need from others; each is called at most once a step. All are set but those of the other supply.
struct EnclosureHands {
    std::function<Result<void>()> quiesce;                          ///< fails with refused where something is in use
    std::vector<std::string> disks;                                 ///< kernel names of its disks: "nvme1n1"
    std::function<Result<double>(bool on)> plug;                    ///< switches; the watts that were read then
    std::function<Result<void>(const std::string& request)> person; ///< asks, and returns when a person has answered
    std::function<void(EnclosureStep)> tell;
    std::chrono::milliseconds gone_within{60'000}, back_within{120'000}, look_every{200};
    std::string boltctl{"boltctl"};
};

/// The first half alone: the steps until it is gone from the bus. Fails as cycle_enclosure().
[[nodiscard]] Result<Detachment> detach_enclosure(const Enclosure& enclosure, EnclosureSupply supply,
                                                  const EnclosureHands& hands);
/// The second half: from its supply to its authorization. Of `enclosure` only the unique id has to be known.
[[nodiscard]] Result<void> attach_enclosure(const Enclosure& enclosure, EnclosureSupply supply,
                                            const EnclosureHands& hands);

/// Both. Fails with what a step fails with, named; timed_out (it stays, or does not return), refused (another enclosure
/// came back in its place). What was switched off is switched on again then.
[[nodiscard]] Result<Detachment> cycle_enclosure(const Enclosure& enclosure, EnclosureSupply supply,
                                                 const EnclosureHands& hands);

} // namespace mediarig::rig

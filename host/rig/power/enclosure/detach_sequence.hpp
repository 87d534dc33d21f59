// SPDX-License-Identifier: GPL-3.0-or-later
/// Separates a Thunderbolt or USB4 enclosure and reconnects the same one. The order of the steps is fixed: a tunnel is
/// cut only after the disks that use it were removed.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/base/enum_names.hpp"
#include "host/rig/port/detachment.hpp"
#include "host/rig/power/enclosure/enclosures.hpp"

namespace mediarig::rig {

using mediarig::name_of;

BOOST_DEFINE_FIXED_ENUM_CLASS(EnclosureStep, std::uint8_t,
                              quiesce,     ///< checks that the enclosure's disks are unused, and flushes written data
                              remove,      ///< the kernel releases the enclosure's disks
                              deauthorize, ///< removes the enclosure's PCIe access, if the domain allows that
                              supply_off,  ///< switches the enclosure's mains plug off, verified by measurement
                              withdraw,    ///< instead of the plug: the operator pulls the cable
                              wait_gone,   ///< waits until the enclosure is gone from the bus
                              supply_on,
                              plug_in,   ///< instead of the plug: the operator plugs the cable in again
                              wait_back, ///< waits until the enclosure with the same unique id is present
                              authorize  ///< authorizes the enclosure, if this does not happen automatically
)
[[nodiscard]] constexpr auto other_names(EnclosureStep** /*type*/) {
    return std::array{Name<EnclosureStep>{EnclosureStep::supply_off, "supply off"},
                      Name<EnclosureStep>{EnclosureStep::wait_gone, "wait until it is gone"},
                      Name<EnclosureStep>{EnclosureStep::supply_on, "supply on"},
                      Name<EnclosureStep>{EnclosureStep::plug_in, "plug in"},
                      Name<EnclosureStep>{EnclosureStep::wait_back, "wait until it is back"}};
}

/// Switch of the enclosure's supply.
enum class EnclosureSupply : std::uint8_t { plug, person };

/// Returns the steps for this enclosure, in order. A bus-powered enclosure has no switch: the operator pulls the cable.
[[nodiscard]] std::vector<EnclosureStep> steps_for(const Enclosure& enclosure, EnclosureSupply supply);

/// Actions for the steps; each is called at most once per step. All must be set except those of the other kind of
/// supply.
struct EnclosureActions {
    std::function<Result<void>()> quiesce;       ///< fails with refused if something is in use
    std::vector<std::string> disks;              ///< kernel names of the enclosure's disks: "nvme1n1"
    std::function<Result<double>(bool on)> plug; ///< switches the plug; returns the watts read afterwards
    std::function<Result<void>(const std::string& request)> person; ///< asks the operator; returns after the answer
    std::function<void(EnclosureStep)> tell;
    std::chrono::milliseconds gone_within{60'000}, back_within{120'000}, poll_interval{200};
    std::string boltctl{"boltctl"};
};

/// Performs only the first half: the steps until the enclosure is gone from the bus. Fails like cycle_enclosure().
[[nodiscard]] Result<Detachment> detach_enclosure(const Enclosure& enclosure, EnclosureSupply supply,
                                                  const EnclosureActions& hands);
/// Performs only the second half: the steps from switching the supply on to the authorization. `enclosure` needs only
/// the unique id.
[[nodiscard]] Result<void> attach_enclosure(const Enclosure& enclosure, EnclosureSupply supply,
                                            const EnclosureActions& hands);

/// Performs both halves. Fails with the error of a step, which the detail names; timed_out (the enclosure stays, or
/// does not return), refused (another enclosure came back in its place). On failure the supply is switched on again.
[[nodiscard]] Result<Detachment> cycle_enclosure(const Enclosure& enclosure, EnclosureSupply supply,
                                                 const EnclosureActions& hands);

} // namespace mediarig::rig

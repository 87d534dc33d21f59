// SPDX-License-Identifier: GPL-3.0-or-later
/// Whether a port of a hub really cuts power: found out by measurement, with a device plugged into it. The port is
/// switched off and on several times; what counts is what the device, its neighbours and a voltmeter do.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/rig/port/detachment.hpp"
#include "host/rig/power/hub/port_switch.hpp"

namespace mediarig::rig {

using std::chrono::milliseconds;

struct HubSetup {
    unsigned cycles{3}; ///< from 1
    milliseconds vanishes_within{10'000}, returns_within{30'000};
    milliseconds stays_off_for{5'000}; ///< how long it is watched for power that returns by itself
    milliseconds look_every{100};
    /// Reads the port's VBUS in millivolts while it is off; unset, or nothing: it is not measured.
    std::function<std::optional<std::uint32_t>(const std::string& request)> voltmeter;
};

/// What one switching off and on showed.
struct HubCycle {
    bool told_off{};                       ///< every half said that it is off
    std::optional<milliseconds> vanished;  ///< the device, after the request; unset: it stayed
    std::optional<milliseconds> came_back; ///< while it was off: the device, or power as the hub tells it
    std::vector<std::string> neighbours;   ///< USB paths of what vanished besides
    std::optional<std::uint32_t> millivolts;
    std::optional<milliseconds> returned; ///< the same device, after it was switched on; unset: it did not
    bool operator==(const HubCycle&) const = default;
};

struct HubQualification {
    UsbPort port;                ///< as it was asked for
    std::vector<UsbPort> halves; ///< all that were switched: two of a USB 3 hub
    UsbDevice device;            ///< with which it was measured
    PortSwitching switching{PortSwitching::unknown};
    std::vector<HubCycle> cycles;
    bool operator==(const HubQualification&) const = default;
};

/// What is wrong with the port, one line each; empty: it separates its device alone, for as long as it is asked to, and
/// brings it back.
[[nodiscard]] std::vector<std::string> faults_of(const HubQualification& qualification);
/// The least that a cycle proved.
[[nodiscard]] Detachment detachment_of(const HubQualification& qualification);

/// Why a disk ("sdb") must not lose its power; nothing where it may.
using InUse = std::function<std::optional<std::string>(const std::string& disk)>;

/// Fails with refused where a disk at the hub is in use, at whatever port: hubs switch more ports than they are asked
/// to. Fails with bad_request (no such port), io_failed.
[[nodiscard]] Result<void> check_hub_is_free(const UsbPort& port, const InUse& in_use);

/// All halves of the port; then asks each whether it did. Whether the supply is there is another question. Fails with
/// rig_fault where a half says otherwise, and as `ports` does.
[[nodiscard]] Result<void> power_hub_port(PortSwitch& ports, const UsbPort& port, bool on);

/// Leaves the port on. Fails with bad_request (no such port, nothing on it, a hub on it), refused (see
/// check_hub_is_free), and as `ports` does.
[[nodiscard]] Result<HubQualification> qualify_hub_port(PortSwitch& ports, const UsbPort& port, const HubSetup& setup,
                                                        const InUse& in_use);

} // namespace mediarig::rig

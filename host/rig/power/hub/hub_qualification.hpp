// SPDX-License-Identifier: GPL-3.0-or-later
/// Measures whether a port of a hub really cuts power, with a device plugged into it. The port is switched off and on
/// several times; the result depends on the device, its neighbours and a voltmeter.
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
    unsigned cycles{3}; ///< at least 1
    milliseconds vanishes_within{10'000}, returns_within{30'000};
    milliseconds stays_off_for{5'000}; ///< duration of the check for power that returns early
    milliseconds poll_interval{100};
    /// Reads the port's VBUS in millivolts while it is off; if unset or without a value, VBUS is not measured.
    std::function<std::optional<std::uint32_t>(const std::string& request)> voltmeter;
};

/// Result of one off-on cycle.
struct HubCycle {
    bool reported_off{}; ///< the hub reported every half as off
    std::optional<milliseconds>
        vanished; ///< time from the request until the device disappeared; unset: the device stayed
    std::optional<milliseconds>
        came_back; ///< time until the device returned, or the hub reported power, although the port was off
    std::vector<std::string> neighbours; ///< USB paths of other devices that disappeared
    std::optional<std::uint32_t> millivolts;
    std::optional<milliseconds> returned; ///< time from switching on until the same device returned; unset: never
    bool operator==(const HubCycle&) const = default;
};

struct HubQualification {
    UsbPort port;                ///< requested port
    std::vector<UsbPort> halves; ///< all switched halves: two for a USB 3 hub
    UsbDevice device;            ///< used for the measurement
    PortSwitching switching{PortSwitching::unknown};
    std::vector<HubCycle> cycles;
    bool operator==(const HubQualification&) const = default;
};

/// Faults of the port, one line each. Empty: the port separates only its device, for the requested time, and reconnects
/// it.
[[nodiscard]] std::vector<std::string> faults_of(const HubQualification& qualification);
/// Returns the lowest detachment level that an off-on cycle of the qualification proved.
[[nodiscard]] Detachment detachment_of(const HubQualification& qualification);

/// Returns the reason why a disk ("sdb") must not lose its power; nothing if it may.
using DiskUse = std::function<std::optional<std::string>(const std::string& disk)>;

/// Fails with refused if a disk at any port of the hub is in use: hubs may switch more ports than requested. Fails with
/// bad_request (no such port), io_failed.
[[nodiscard]] Result<void> check_hub_is_free(const UsbPort& port, const DiskUse& in_use);

/// Switches all halves of the port, then queries each. Does not prove that the supply changed. Fails with rig_fault if
/// a half reports another state, and like `ports`.
[[nodiscard]] Result<void> power_hub_port(PortSwitch& ports, const UsbPort& port, bool on);

/// Leaves the port on. Fails with bad_request (no such port, no device or a hub on it), refused (see
/// check_hub_is_free), and like `ports`.
[[nodiscard]] Result<HubQualification> qualify_hub_port(PortSwitch& ports, const UsbPort& port, const HubSetup& setup,
                                                        const DiskUse& in_use);

} // namespace mediarig::rig

// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads the ports of USB hubs and the connected devices, by their place in the topology, from sysfs. Hubs and devices
/// have the kernel's names: "1-1.4" is port 4 of the hub at port 1 of bus 1; "1" is the root hub of bus 1. Source:
/// Linux, Documentation/ABI/testing/sysfs-bus-usb.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::rig {

/// A downstream port.
struct UsbPort {
    std::string hub;   ///< "1-1.4", or "1" for a root hub: as uhubctl names locations
    unsigned number{}; ///< from 1
    auto operator<=>(const UsbPort&) const = default;

    /// Returns the path of a device on this port: "1-1.4.2".
    [[nodiscard]] std::string path() const;
};

/// Returns the port of a device's path: hub "1-1.4", port 2 for "1-1.4.2". Fails with bad_request.
[[nodiscard]] Result<UsbPort> usb_port(std::string_view path);

struct UsbDevice {
    std::string path;            ///< "1-1.4.2"
    std::string vendor, product; ///< four hexadecimal digits
    std::string serial;          ///< may be empty
    bool hub{};
    std::vector<std::string> disks; ///< kernel names of its whole block devices: "sdb"
    bool operator==(const UsbDevice&) const = default;
};

/// True if both have the same descriptors; places and disks may differ.
[[nodiscard]] bool same_usb_device(const UsbDevice& one, const UsbDevice& other);

/// Returns the port itself and, if the kernel knows it, the other half of the same connector: a USB 3 hub is two hubs
/// on two buses. Fails with bad_request (no such port), io_failed.
[[nodiscard]] Result<std::vector<UsbPort>> halves_of(const UsbPort& port);

/// Returns all devices below these hubs, at any depth, sorted by path. Fails with io_failed.
[[nodiscard]] Result<std::vector<UsbDevice>> usb_devices_below(const std::vector<std::string>& hubs);
/// True if the device is at this port or below it.
[[nodiscard]] bool is_at(const UsbDevice& device, const UsbPort& port);

} // namespace mediarig::rig

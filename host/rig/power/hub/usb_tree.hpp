// SPDX-License-Identifier: GPL-3.0-or-later
/// Ports of USB hubs and what hangs on them, by their place in the topology, from sysfs. Names of hubs and devices are
/// the kernel's: "1-1.4" is port 4 of the hub at port 1 of bus 1; "1" is the root hub of bus 1.
/// Source: Linux, Documentation/ABI/testing/sysfs-bus-usb.
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

    /// Where a device on it stands: "1-1.4.2".
    [[nodiscard]] std::string path() const;
};

/// The port of a device's path: hub "1-1.4", port 2 of "1-1.4.2". Fails with bad_request.
[[nodiscard]] Result<UsbPort> usb_port(std::string_view path);

struct UsbDevice {
    std::string path;            ///< "1-1.4.2"
    std::string vendor, product; ///< four hexadecimal digits
    std::string serial;          ///< may be empty
    bool hub{};
    std::vector<std::string> disks; ///< kernel names of its whole block devices: "sdb"
    bool operator==(const UsbDevice&) const = default;
};

/// Whether they say the same of themselves; places and disks may differ.
[[nodiscard]] bool same_usb_device(const UsbDevice& one, const UsbDevice& other);

/// The port itself, and the other half of the same connector where the kernel knows one: a USB 3 hub is two hubs, on
/// two buses. Fails with bad_request (there is no such port), io_failed.
[[nodiscard]] Result<std::vector<UsbPort>> halves_of(const UsbPort& port);

/// Everything below these hubs, at any depth, sorted by path. Fails with io_failed.
[[nodiscard]] Result<std::vector<UsbDevice>> usb_devices_below(const std::vector<std::string>& hubs);
/// Whether the device stands at this port or below it.
[[nodiscard]] bool is_at(const UsbDevice& device, const UsbPort& port);

} // namespace mediarig::rig

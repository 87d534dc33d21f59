// SPDX-License-Identifier: GPL-3.0-or-later
/// Thunderbolt and USB4 enclosures, from sysfs. Source: Linux, Documentation/ABI/testing/sysfs-bus-thunderbolt and
/// Documentation/admin-guide/thunderbolt.rst.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"

namespace mediarig::rig {

using mediarig::name_of;

/// Condition that the firmware sets before a device gets PCIe access.
BOOST_DEFINE_FIXED_ENUM_CLASS(TunnelSecurity, std::uint8_t, none, user, secure, display_only, usb_only, no_pcie,
                              unknown)
[[nodiscard]] constexpr auto other_names(TunnelSecurity** /*type*/) {
    return std::array{Name<TunnelSecurity>{TunnelSecurity::display_only, "dponly"},
                      Name<TunnelSecurity>{TunnelSecurity::usb_only, "usbonly"},
                      Name<TunnelSecurity>{TunnelSecurity::no_pcie, "nopcie"}};
}

struct TunnelDomain {
    std::string name; ///< "domain0"
    TunnelSecurity security{TunnelSecurity::unknown};
    bool deauthorizes{}; ///< 0 may be written to `authorized` of its devices (Linux 5.12 and later)
    bool operator==(const TunnelDomain&) const = default;
};

struct Enclosure {
    std::string name;      ///< route of its port: "0-1", "0-301" at another enclosure
    std::string unique_id; ///< identifies the enclosure on every port
    std::string vendor, device;
    unsigned authorized{};              ///< 0: no, 1: by the user, 2: with a key
    std::optional<unsigned> generation; ///< 1 to 4; 4 is USB4
    TunnelDomain domain;
    bool operator==(const Enclosure&) const = default;
};

/// Returns all devices connected to the host's routers, sorted by name. Empty if the machine has no such bus. Fails
/// with io_failed.
[[nodiscard]] Result<std::vector<Enclosure>> find_enclosures();
/// Selects by the unique id or its beginning. Fails with bad_request (no or several matches).
[[nodiscard]] Result<Enclosure> choose_enclosure(const std::vector<Enclosure>& enclosures, const std::string& id);

/// Removes or restores PCIe access. If boltd runs, it is asked to authorize, because it stores the keys. Fails with
/// bad_request (the domain does not allow it), no_permission, io_failed.
[[nodiscard]] Result<void> deauthorize(const Enclosure& enclosure);
[[nodiscard]] Result<void> authorize(const Enclosure& enclosure, const std::string& boltctl = "boltctl");
/// Asks the kernel to remove this disk's PCIe or SCSI function ("nvme1n1"). Fails with no_medium, no_permission,
/// io_failed.
[[nodiscard]] Result<void> remove_disk(const std::string& disk);

} // namespace mediarig::rig

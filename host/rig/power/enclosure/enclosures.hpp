// SPDX-License-Identifier: GPL-3.0-or-later
/// Thunderbolt and USB4 enclosures, from sysfs. Source: Linux, Documentation/ABI/testing/sysfs-bus-thunderbolt and
/// Documentation/admin-guide/thunderbolt.rst.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::rig {

/// What the firmware asks for before a device gets PCIe.
enum class TunnelSecurity : std::uint8_t { none, user, secure, display_only, usb_only, no_pcie, unknown };

struct TunnelDomain {
    std::string name; ///< "domain0"
    TunnelSecurity security{TunnelSecurity::unknown};
    bool deauthorizes{}; ///< 0 may be written to `authorized` of its devices (Linux 5.12 and later)
    bool operator==(const TunnelDomain&) const = default;
};

struct Enclosure {
    std::string name;      ///< where it is plugged in: "0-1", "0-301" behind another one
    std::string unique_id; ///< of this very enclosure, over all ports
    std::string vendor, device;
    unsigned authorized{};              ///< 0 not, 1 by the user, 2 with a key
    std::optional<unsigned> generation; ///< 1 to 4; 4 is USB4
    TunnelDomain domain;
    bool operator==(const Enclosure&) const = default;
};

/// Everything behind the host's own routers, sorted by name. Empty where the machine has no such bus. Fails with
/// io_failed.
[[nodiscard]] Result<std::vector<Enclosure>> find_enclosures();
/// By its unique id, or the beginning of it. Fails with bad_request (none, or several).
[[nodiscard]] Result<Enclosure> choose_enclosure(const std::vector<Enclosure>& enclosures, const std::string& id);

/// Takes PCIe from it, or gives it back. boltd, where it runs, is asked to authorize, because it keeps keys. Fails with
/// bad_request (the domain does not allow it), no_permission, io_failed.
[[nodiscard]] Result<void> deauthorize(const Enclosure& enclosure);
[[nodiscard]] Result<void> authorize(const Enclosure& enclosure, const std::string& boltctl = "boltctl");
/// Asks the kernel to remove this disk's PCIe or SCSI function ("nvme1n1"). Fails with no_medium, no_permission,
/// io_failed.
[[nodiscard]] Result<void> remove_disk(const std::string& disk);

} // namespace mediarig::rig

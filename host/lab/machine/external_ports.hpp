// SPDX-License-Identifier: GPL-3.0-or-later
/// Marks the ports of NVMe slots as external in the firmware tables. Without this mark the guest's kernel considers
/// every PCIe device a part of the machine, and a disk at such a port internal. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/lab/machine/slot_layout.hpp"

namespace mediarig::lab {

/// Returns the device numbers on bus 0 of the root ports of NVMe slots.
[[nodiscard]] std::vector<std::uint32_t> external_ports(const SlotLayout& layout);

/// Returns an ACPI table (SSDT) that gives each of these root ports the property "ExternalFacingPort". `ports`: device
/// numbers on bus 0, each below 32, function 0. Sources: ACPI Specification 6.4, section 20.2 (AML grammar) and table
/// 5-35 (SSDT); Microsoft, "Identifying externally exposed PCIe root ports"; the port names are QEMU's device names.
[[nodiscard]] std::string external_ports_table(const std::vector<std::uint32_t>& ports);

} // namespace mediarig::lab

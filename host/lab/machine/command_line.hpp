// SPDX-License-Identifier: GPL-3.0-or-later
/// Arguments of QEMU. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/lab/machine/machine_spec.hpp"
#include "host/lab/machine/slot_layout.hpp"

namespace mediarig::lab {

/// Files of one machine, all in its private directory.
struct MachineFiles {
    std::string directory;
    [[nodiscard]] std::string qmp() const { return directory + "/qmp"; }
    [[nodiscard]] std::string agent() const { return directory + "/agent"; }
    [[nodiscard]] std::string diagnosis() const { return directory + "/diag"; }
    [[nodiscard]] std::string console() const { return directory + "/console.log"; }
    [[nodiscard]] std::string external_ports() const { return directory + "/external_ports.aml"; }
    [[nodiscard]] std::string qemu_log() const { return directory + "/qemu.log"; }
};

/// Names of the guest's virtio ports; the guest's init searches for them.
inline constexpr const char* agent_port_name = "lab.ctl";
inline constexpr const char* diagnosis_port_name = "lab.ctl2";

/// Returns the arguments without the program name. `accelerator` must not be `automatic`. If the layout has NVMe slots,
/// the file `external_ports()` must contain its external_ports_table().
[[nodiscard]] std::vector<std::string> command_line(const MachineSpec& spec, const SlotLayout& layout,
                                                    const MachineFiles& files, Accelerator accelerator);

/// Returns the arguments to boot only the kernel as a test of an accelerator: the kernel panics without a root file
/// system, which ends QEMU.
[[nodiscard]] std::vector<std::string> probe_command_line(const MachineSpec& spec, const MachineFiles& files,
                                                          Accelerator accelerator);

/// Escapes `value` for use in an option argument, where a comma is a separator.
[[nodiscard]] std::string option_value(const std::string& value);

} // namespace mediarig::lab

// SPDX-License-Identifier: GPL-3.0-or-later
/// The arguments of QEMU. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/lab/machine/machine_spec.hpp"
#include "host/lab/machine/slot_layout.hpp"

namespace mediarig::lab {

/// The files of one machine, all in its private directory.
struct MachineFiles {
    std::string directory;
    [[nodiscard]] std::string qmp() const { return directory + "/qmp"; }
    [[nodiscard]] std::string agent() const { return directory + "/agent"; }
    [[nodiscard]] std::string diagnosis() const { return directory + "/diag"; }
    [[nodiscard]] std::string console() const { return directory + "/console.log"; }
    [[nodiscard]] std::string external_ports() const { return directory + "/external_ports.aml"; }
    [[nodiscard]] std::string qemu_log() const { return directory + "/qemu.log"; }
};

/// Names of the guest's virtio ports, which the guest's init looks for.
inline constexpr const char* agent_port_name = "lab.ctl";
inline constexpr const char* diagnosis_port_name = "lab.ctl2";

/// Without the program's own name. `accelerator` is not `automatic` any more. Where the layout has NVMe slots,
/// external_ports_table() of it has to stand in the file `external_ports()`.
[[nodiscard]] std::vector<std::string> command_line(const MachineSpec& spec, const SlotLayout& layout,
                                                    const MachineFiles& files, Accelerator accelerator);

/// A boot of the kernel alone, to see whether an accelerator works: it panics for want of a root file system, which
/// ends QEMU.
[[nodiscard]] std::vector<std::string> probe_command_line(const MachineSpec& spec, const MachineFiles& files,
                                                          Accelerator accelerator);

/// What the text `value` has to be inside an option's argument, where a comma ends it.
[[nodiscard]] std::string option_value(const std::string& value);

} // namespace mediarig::lab

// SPDX-License-Identifier: GPL-3.0-or-later
/// The guest's first process: a script for busybox.
///
/// Interfaces of the guest: an agent on the virtio port `lab.ctl`, restarted whenever it ends; on `lab.ctl2`, for
/// diagnosis, a shell that takes "<id> <base64 of a script>" per line and answers "<id> <exit status> <base64 of its
/// output>"; and the lines "lab: …" on the serial console: "lab: READY" when the agent has been started, "lab: agent
/// ended with N" each time it ends, "lab: module X: why" for each module that could not be loaded, "lab: apfs
/// self-check passed" or "… failed: why". Enter on the console opens a shell.
#pragma once

#include <string_view>

namespace mediarig::lab {

inline constexpr std::string_view agent_port = "lab.ctl";
inline constexpr std::string_view shell_port = "lab.ctl2";

/// Paths that the script uses, relative to the root folder.
inline constexpr std::string_view guest_modules_folder = "lib/modules";
inline constexpr std::string_view guest_module_order = "lib/modules/order"; ///< a file name and its parameters per line
inline constexpr std::string_view guest_self_check =
    "etc/lab-check-apfs"; ///< if this file exists, the script tests the module

/// The part that the guests of both machines share: mounts, names and the function `say`.
[[nodiscard]] std::string_view init_start();
[[nodiscard]] std::string_view guest_init_script();

} // namespace mediarig::lab

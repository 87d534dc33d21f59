// SPDX-License-Identifier: GPL-3.0-or-later
/// Password prompt of sudo before the agent starts.
#pragma once

#include <string>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::app {

/// Returns the block devices among `paths` that this user may not open for reading and writing: "/dev/sdb, /dev/sdc".
/// Empty if there are no such devices.
[[nodiscard]] std::string closed_devices(const std::vector<std::string>& paths);

/// True if this process has a terminal for input and output, so that a user can answer.
[[nodiscard]] bool has_interactive_terminal();

/// Lets sudo ask for the password on the terminal, after the reason ("to open /dev/sdb"). Blocks until the password is
/// given or refused. Fails with no_driver (sudo is missing), no_permission.
[[nodiscard]] Result<void> ask_for_password(const std::string& reason);

} // namespace mediarig::app

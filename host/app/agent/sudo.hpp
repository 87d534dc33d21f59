// SPDX-License-Identifier: GPL-3.0-or-later
/// The password that sudo wants before it starts the agent.
#pragma once

#include <string>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::app {

/// Of these paths the block devices that this user may not open for reading and writing: "/dev/sdb, /dev/sdc". Empty
/// where there is none.
[[nodiscard]] std::string closed_devices(const std::vector<std::string>& paths);

/// Whether somebody sits at this process's terminal, reads what it says there, and may type.
[[nodiscard]] bool somebody_may_type();

/// Lets sudo ask for the password on the terminal, after the reason ("to open /dev/sdb"). Blocks until it was given or
/// refused. Fails with no_driver (there is no sudo), no_permission.
[[nodiscard]] Result<void> ask_for_password(const std::string& reason);

} // namespace mediarig::app

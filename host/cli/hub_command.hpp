// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "host/cli/command.hpp"

namespace mediarig::cli {

/// qualify-hub and hub-power, below `mediarig rig`.
void add_hub_commands(CLI::App& rig, Console& console, Action& action);

} // namespace mediarig::cli

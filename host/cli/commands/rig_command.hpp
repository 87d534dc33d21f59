// SPDX-License-Identifier: GPL-3.0-or-later
/// Commands of `mediarig rig` that do not need its board.
#pragma once

#include "host/cli/command.hpp"

namespace mediarig::cli {

/// Adds wear, gage-study and control-chart.
void add_calibration_commands(CLI::App& rig, Console& console, Action& action);
/// Adds enclosures, cycle-enclosure and plug.
void add_enclosure_commands(CLI::App& rig, Console& console, Action& action);
/// Adds qualify-hub and hub-power.
void add_hub_commands(CLI::App& rig, Console& console, Action& action);
/// Adds uplinks.
void add_uplinks_command(CLI::App& rig, Console& console, Action& action);

} // namespace mediarig::cli

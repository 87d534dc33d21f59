// SPDX-License-Identifier: GPL-3.0-or-later
/// The commands below `mediarig rig` that work without its board.
#pragma once

#include "host/cli/command.hpp"

namespace mediarig::cli {

/// wear, gage-study and control-chart.
void add_calibration_commands(CLI::App& rig, Console& console, Action& action);
/// enclosures, cycle-enclosure and plug.
void add_enclosure_commands(CLI::App& rig, Console& console, Action& action);
/// qualify-hub and hub-power.
void add_hub_commands(CLI::App& rig, Console& console, Action& action);
/// uplinks.
void add_uplinks_command(CLI::App& rig, Console& console, Action& action);

} // namespace mediarig::cli

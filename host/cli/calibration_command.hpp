// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "host/cli/command.hpp"

namespace mediarig::cli {

/// wear, gage-study and control-chart, below `mediarig rig`.
void add_calibration_commands(CLI::App& rig, Console& console, Action& action);

} // namespace mediarig::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "host/cli/command.hpp"

namespace mediarig::cli {

/// enclosures, cycle-enclosure and plug, below `mediarig rig`.
void add_enclosure_commands(CLI::App& rig, Console& console, Action& action);

} // namespace mediarig::cli

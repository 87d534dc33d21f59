// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "host/cli/command.hpp"

namespace mediarig::cli {

/// `rig uplinks`.
void add_uplinks_command(CLI::App& rig, Console& console, Action& action);

} // namespace mediarig::cli

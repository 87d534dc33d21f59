// SPDX-License-Identifier: GPL-3.0-or-later
/// Functions that the lab commands and `mediarig devices` share.
#pragma once

#include "host/cli/command.hpp"
#include "host/cli/facts.hpp"

namespace mediarig::cli {

/// Adds start, stop, status, devices, plug, unplug, …: commands that use one running lab.
void add_running_lab_commands(CLI::App& lab, Console& console, Action& action);

/// Prints the output of `mediarig devices`; returns the exit status.
[[nodiscard]] int list_devices(const Console& console, const app::AgentChoice& choice, const Facts& facts);

} // namespace mediarig::cli

// SPDX-License-Identifier: GPL-3.0-or-later
/// What the two halves of `mediarig lab` and its neighbours share.
#pragma once

#include "host/cli/command.hpp"
#include "host/cli/facts.hpp"

namespace mediarig::cli {

/// start, stop, status, devices, plug, unplug, …: a lab that stays while several commands use it.
void add_running_lab_commands(CLI::App& lab, Console& console, Action& action);

/// What `mediarig devices` prints; gives the exit status.
[[nodiscard]] int list_devices(const Console& console, const app::AgentChoice& choice, const Facts& facts);

} // namespace mediarig::cli

// SPDX-License-Identifier: GPL-3.0-or-later
/// The way to an agent whose media a person changes.
#pragma once

#include <memory>

#include "host/app/agent_runner.hpp"

namespace mediarig::app {

/// `choice` outlives it.
[[nodiscard]] std::unique_ptr<Route> make_manual_route(const AgentChoice& choice);

} // namespace mediarig::app

// SPDX-License-Identifier: GPL-3.0-or-later
/// Asks on the terminal for confirmations that a command or a plan lacks.
#pragma once

#include "host/app/agent/agent_runner.hpp"
#include "host/base/result.hpp"
#include "host/cli/command.hpp"
#include "host/cli/text/confirmation_text.hpp"
#include "host/plan/plan.hpp"

namespace mediarig::cli {

/// Returns the confirmation of `target`. Requires Console::answers. Fails like app::writable_medium() before the
/// question, and like confirmed_by().
[[nodiscard]] Result<std::string> ask_confirmation(const Console& console, const app::AgentChoice& agent,
                                                   const std::string& target, WriteEffect effect);

/// Adds the missing confirmations to the plan, one question for each medium. Without Console::answers, changes nothing.
/// Fails like ask_confirmation().
[[nodiscard]] Result<void> ask_confirmations(const Console& console, const app::AgentChoice& agent, plan::Plan& plan,
                                             WriteEffect effect = WriteEffect::erases);

} // namespace mediarig::cli

// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs a campaign in the foreground: progress while it runs, verdicts at the end.
#pragma once

#include <string>

#include "host/app/campaigns.hpp"
#include "host/cli/command.hpp"
#include "host/cli/facts.hpp"

namespace mediarig::cli {

struct TerminalRunOptions {
    bool quiet{};  ///< no progress
    bool tables{}; ///< print the results as tables
    Facts facts;   ///< results as JSON
};

/// Returns the exit status.
[[nodiscard]] int run_in_terminal(const Console& console, const plan::Plan& plan, const app::RunOptions& run,
                                  const TerminalRunOptions& options);

} // namespace mediarig::cli

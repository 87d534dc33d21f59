// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs a campaign in front of the user: progress while it runs, verdicts at its end.
#pragma once

#include <string>

#include "host/app/campaigns.hpp"
#include "host/cli/command.hpp"
#include "host/cli/facts.hpp"

namespace mediarig::cli {

struct PlayOptions {
    bool quiet{};  ///< no progress
    bool tables{}; ///< the results as tables on standard output
    Facts facts;   ///< the results as JSON
};

/// The exit status.
[[nodiscard]] int play(const Console& console, const plan::Plan& plan, const app::RunOptions& run,
                       const PlayOptions& options);

} // namespace mediarig::cli

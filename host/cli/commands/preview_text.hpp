// SPDX-License-Identifier: GPL-3.0-or-later
/// Prints the output of --dry-run.
#pragma once

#include "host/app/preflight.hpp"
#include "host/cli/facts.hpp"

namespace mediarig::cli {

/// Inspects the media and prints the preview, for a comparison one line per block. Returns the exit status that the run
/// would have if it could not start. `written`: the plan file if one was written.
[[nodiscard]] int dry_run(const Console& console, const plan::Plan& plan, const app::PreviewOptions& options,
                          const Facts& facts, const std::string& written = {});

} // namespace mediarig::cli

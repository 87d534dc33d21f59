// SPDX-License-Identifier: GPL-3.0-or-later
/// What --dry-run says.
#pragma once

#include "host/app/preview/preview.hpp"
#include "host/cli/facts.hpp"

namespace mediarig::cli {

/// Looks and tells, a comparison in a line for each block; gives the exit status, which is the run's where that could
/// not begin. `written`: the one file that was.
[[nodiscard]] int dry_run(const Console& console, const plan::Plan& plan, const app::PreviewOptions& options,
                          const Facts& facts, const std::string& written = {});

} // namespace mediarig::cli

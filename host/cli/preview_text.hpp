// SPDX-License-Identifier: GPL-3.0-or-later
/// What --dry-run says.
#pragma once

#include "host/app/preview.hpp"
#include "host/cli/facts.hpp"

namespace mediarig::cli {

/// Looks and tells; gives the exit status, which is the run's where that could not begin.
[[nodiscard]] int dry_run(const Console& console, const plan::Plan& plan, const app::PreviewOptions& options,
                          const Facts& facts);

} // namespace mediarig::cli

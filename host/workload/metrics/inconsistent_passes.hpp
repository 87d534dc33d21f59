// SPDX-License-Identifier: GPL-3.0-or-later
/// Compares the passes of one medium with each other. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/measure/finding.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::metrics {

struct PassCells {
    std::string suite;
    std::string place; ///< displayed form of the format: "under exFAT", "on the bare device"
    const std::vector<workload::CellResult>* cells{};
    workload::PayloadKind payload{};
};

/// Returns the findings single_pass, first_pass, state_drift and compressible_data of `passes`, which must be in time
/// order and measure rates. At most one finding of each kind, about the suite and format where it is largest. Passes
/// with another payload are no repeats. The level of a pass is the median over its cells of ln(rate), minus the median
/// of that cell over all passes; docs/reference/method.md lists the rules.
[[nodiscard]] measure::Findings inconsistent_passes(const std::vector<PassCells>& passes);

} // namespace mediarig::metrics

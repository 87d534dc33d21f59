// SPDX-License-Identifier: GPL-3.0-or-later
/// Holds the passes of one medium against each other. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/measure/finding.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::metrics {

struct PassCells {
    std::string suite;
    std::string place; ///< the format as people read it: "under exFAT", "on the bare device"
    const std::vector<workload::CellResult>* cells{};
    workload::PayloadKind payload{};
};

/// single_pass, first_pass, state_drift and compressible_data of `passes`, which stand in the order in which they ran
/// and measured rates: one finding of each kind at most, about the suite and format where it is largest. Passes of
/// another payload are no repeats. A pass's level is the median over its cells of ln(rate), less the median of that
/// cell over all passes; docs/reference/method.md lists the rules.
[[nodiscard]] measure::Findings inconsistent_passes(const std::vector<PassCells>& passes);

} // namespace mediarig::metrics

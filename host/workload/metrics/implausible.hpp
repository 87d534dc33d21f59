// SPDX-License-Identifier: GPL-3.0-or-later
/// Checks the cells of one pass, and the passes of one medium, against the rules of host/measure/. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "host/measure/finding.hpp"
#include "host/measure/plausibility.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::metrics {

struct CellFinding {
    std::string cell; ///< id of the worst one; empty: the pass as a whole
    measure::Finding finding;
};

/// Contradictions within one pass: at most one finding of each kind, about the worst cell, with the number of cells
/// (also in `count`). docs/reference/method.md lists the rules. `links`: the connections between host and medium, as
/// far as they are known; nothing is faster than the slowest of them.
[[nodiscard]] std::vector<CellFinding> implausible(const workload::JobSpec& job,
                                                   const std::vector<workload::CellResult>& cells,
                                                   std::span<const measure::BusLink> links);

} // namespace mediarig::metrics

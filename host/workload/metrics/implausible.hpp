// SPDX-License-Identifier: GPL-3.0-or-later
/// Holds the cells of one pass, and the passes of one medium, against the rules of host/measure/. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "host/measure/finding.hpp"
#include "host/measure/plausibility.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::metrics {

struct CellFinding {
    std::string cell; ///< id of the worst one; empty: about the pass as a whole
    measure::Finding finding;
};

/// What does not fit together within one pass: one finding of each kind at most, about the worst cell, which says how
/// many there are (`count` counts them too). docs/reference/method.md lists the rules. `links`: what the
/// medium hangs on, as far as it is known; nothing is faster than the slowest of them.
[[nodiscard]] std::vector<CellFinding> implausible(const workload::JobSpec& job,
                                                   const std::vector<workload::CellResult>& cells,
                                                   std::span<const measure::Link> links);

} // namespace mediarig::metrics

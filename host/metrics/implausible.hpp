// SPDX-License-Identifier: GPL-3.0-or-later
/// Holds the cells of one pass against the rules of plausibility.hpp. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/measure/finding.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::metrics {

struct CellFinding {
    std::string cell; ///< id; empty: about the pass as a whole
    measure::Finding finding;
};

/// What does not fit together among the cells of one pass: rates that fall as blocks grow, small blocks faster than
/// large ones, a rate that changes level within a cell.
[[nodiscard]] std::vector<CellFinding> implausible(const std::vector<workload::CellResult>& cells);

} // namespace mediarig::metrics

// SPDX-License-Identifier: GPL-3.0-or-later
/// Checks the cells of one pass, and the passes of one medium, against the rules of host/measure/. Pure.
#pragma once

#include <span>
#include <vector>

#include "host/measure/finding.hpp"
#include "host/measure/plausibility.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::metrics {

/// Contradictions within one pass: at most one finding of each kind, about the worst cell (`cell`), with the number of
/// cells (also in `count`). docs/reference/method.md lists the rules. `links`: the connections between host and medium,
/// as far as they are known; no transfer is faster than the slowest connection.
[[nodiscard]] measure::Findings implausible(const workload::JobSpec& job,
                                            const std::vector<workload::CellResult>& cells,
                                            std::span<const measure::BusLink> links);

} // namespace mediarig::metrics

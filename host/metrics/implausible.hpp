// SPDX-License-Identifier: GPL-3.0-or-later
/// Holds the cells of one pass, and the passes of one medium, against the rules of host/measure/. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/measure/finding.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::metrics {

struct CellFinding {
    std::string cell; ///< id of the worst one; empty: about the pass as a whole
    measure::Finding finding;
};

/// What does not fit together within one pass: one finding of each kind at most, about the worst cell, which says how
/// many there are (`count` counts them too). docs/measurement-method.md lists the rules. `usb_mbit`: the speed of the
/// link, where the medium hangs on USB.
[[nodiscard]] std::vector<CellFinding> implausible(const workload::JobSpec& job,
                                                   const std::vector<workload::CellResult>& cells,
                                                   std::optional<double> usb_mbit);

} // namespace mediarig::metrics

// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs mixes of reads and writes over files of one size.
#pragma once

#include "host/workload/job.hpp"
#include "host/workload/reporter.hpp"
#include "host/workload/system.hpp"

namespace mediarig::workload {

/// As run_job, for a job with a mix. A cell goes into `reporter` for each direction that it has, with ids that end in
/// ".read" and ".write": both have the time of the whole mix. Of rounds, the cell sums up the last window, its
/// latencies are of that, and its series has a sample for each round.
[[nodiscard]] Result<void> run_mix(const System& system, const JobSpec& job, const Target& target,
                                   const std::vector<DoneCell>& already_done, JobControl& control, Reporter& reporter);

} // namespace mediarig::workload

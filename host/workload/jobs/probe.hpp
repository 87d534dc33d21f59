// SPDX-License-Identifier: GPL-3.0-or-later
/// The quick probe of the true capacity, as a job.
#pragma once

#include "host/workload/io/job_control.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/jobs/job_checks.hpp"

namespace mediarig::workload {

/// Like run_job, for a job with a probe part; raw devices only. Delivers probe_id, the write of the run, as a cell.
[[nodiscard]] Result<VerifyOutcome> run_probe(const System& system, const JobSpec& job, const JobTarget& target,
                                              JobControl& control, Reporter& reporter);

} // namespace mediarig::workload

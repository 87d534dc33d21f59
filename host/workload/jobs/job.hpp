// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs a job. Blocking: call it on a dedicated thread.
#pragma once

#include <vector>

#include "host/base/result.hpp"
#include "host/workload/io/job_control.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

/// Runs `job` without the cells that are finished in `already_done`. A cancelled or interrupted job has delivered its
/// finished cells to the observer. Test files are removed when it returns, in every case, if the medium still responds.
/// Fails with bad_request (the job is not valid for this target), no_medium, io_failed, cancelled, no_permission. An
/// I/O error of the medium is a finding; it fails the job only with OnIoError::stop or when the medium is gone.
[[nodiscard]] Result<JobOutcome> run_job(const System& system, const JobSpec& job, const JobTarget& target,
                                         const std::vector<PreviousCell>& already_done, JobControl& control,
                                         JobObserver& observer);

} // namespace mediarig::workload

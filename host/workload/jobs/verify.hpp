// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes everything, reads everything back, checks every byte.
#pragma once

#include "host/workload/io/job_control.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/jobs/job_checks.hpp"

namespace mediarig::workload {

/// As run_job, for a job with a verify part. Delivers verify_write_id and verify_read_id into `reporter`. Transfers are
/// made one after the other with pread and pwrite whatever engine the job names, while a second thread makes or checks
/// the contents of the neighbouring chunk.
/// On a bare device each pass tells now and then how far it is, as a cell that ended `cancelled`; with such a position
/// in `done` the job goes on from there.
[[nodiscard]] Result<VerifyOutcome> run_verify(const System& system, const JobSpec& job, const Target& target,
                                               const std::vector<DoneCell>& done, JobControl& control,
                                               Reporter& reporter);

} // namespace mediarig::workload

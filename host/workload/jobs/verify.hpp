// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes the whole span, reads it back and checks every byte.
#pragma once

#include "host/workload/io/job_control.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/jobs/job_checks.hpp"

namespace mediarig::workload {

/// Like run_job, for a job with a verify part. Delivers verify_write_id and verify_read_id to `reporter`. Transfers are
/// sequential with pread and pwrite, independent of the engine of the job; a second thread generates or checks the
/// contents of the adjacent chunk. On a bare device each pass reports its position from time to time as a cell that
/// ended `cancelled`. With such a position in `done` the job continues from there.
[[nodiscard]] Result<VerifyOutcome> run_verify(const System& system, const JobSpec& job, const JobTarget& target,
                                               const std::vector<PreviousCell>& done, JobControl& control,
                                               Reporter& reporter);

} // namespace mediarig::workload

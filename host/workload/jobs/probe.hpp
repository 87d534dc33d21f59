// SPDX-License-Identifier: GPL-3.0-or-later
/// The quick probe of the true capacity, as a job.
#pragma once

#include "host/workload/io/job_control.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/jobs/job_checks.hpp"

namespace mediarig::workload {

/// Like run_job, for a job with a probe part; raw devices only. A probe that keeps the data restores it before it
/// returns, also after a failure or a cancel request; an interrupted restore leaves the undo file. Delivers probe_id,
/// the write of the run, as a cell.
[[nodiscard]] Result<VerifyOutcome> run_probe(const System& system, const JobSpec& job, const JobTarget& target,
                                              JobControl& control, Reporter& reporter);

/// Restores a device from the undo file of an interrupted probe, then removes the file; or only removes it (modes
/// `none` and `none_forced`). The file stays if a place does not accept its content. Fails like restore(), with
/// bad_format if the file is damaged, and with refused if it belongs to another medium; mode `none` fails with refused
/// if the device contains neither data of the probe nor the saved content.
[[nodiscard]] Result<RestoreReport> run_restore(const System& system, const JobTarget& target, UndoStorage& undo,
                                                RestoreMode mode, JobControl& control);

} // namespace mediarig::workload

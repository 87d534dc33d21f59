// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs steps on sets of files and folders.
#pragma once

#include "host/workload/io/job_control.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/jobs/job_checks.hpp"

namespace mediarig::workload {

/// Like run_job, for a files job. The job runs as a whole: the files of an interrupted job are removed. Requires a
/// directory. A failed file does not affect other files: later steps skip it.
[[nodiscard]] Result<void> run_files(const System& system, const JobSpec& job, const JobTarget& target,
                                     JobControl& control, Reporter& reporter);

} // namespace mediarig::workload

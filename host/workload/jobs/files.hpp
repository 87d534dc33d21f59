// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs steps over sets of files and folders.
#pragma once

#include "host/workload/io/job_control.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/jobs/job_checks.hpp"

namespace mediarig::workload {

/// As run_job, for a job of files. It is made as a whole: what an interrupted one wrote is gone with it. Needs a
/// directory. A file that fails costs itself only: later steps leave it out.
[[nodiscard]] Result<void> run_files(const System& system, const JobSpec& job, const Target& target,
                                     JobControl& control, Reporter& reporter);

} // namespace mediarig::workload

// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs jobs on Linux.
#pragma once

#include <string>
#include <vector>

#include "host/workload/io/system.hpp"

namespace mediarig::workload {

[[nodiscard]] const System& linux_system();

/// Calls run_job() with linux_system().
[[nodiscard]] Result<JobOutcome> run_job(const JobSpec& job, const JobTarget& target,
                                         const std::vector<DoneCell>& already_done, JobControl& control,
                                         JobObserver& observer);

} // namespace mediarig::workload

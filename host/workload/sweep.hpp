// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs a list of cells over one test file or over the head of a raw device.
#pragma once

#include <string>
#include <vector>

#include "host/workload/job.hpp"
#include "host/workload/reporter.hpp"
#include "host/workload/system.hpp"

namespace mediarig::workload {

/// As run_job, for a job with a sweep; cells go into `reporter`.
[[nodiscard]] Result<void> run_sweep(const System& system, const JobSpec& job, const Target& target,
                                     const std::vector<DoneCell>& already_done, JobControl& control,
                                     Reporter& reporter);

} // namespace mediarig::workload

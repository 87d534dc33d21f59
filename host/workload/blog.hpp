// SPDX-License-Identifier: GPL-3.0-or-later
/// Writers, rewriters, commenters and readers of blogs at once.
#pragma once

#include "host/workload/job.hpp"
#include "host/workload/reporter.hpp"
#include "host/workload/system.hpp"

namespace mediarig::workload {

/// As run_job, for a blog job. It is made as a whole, in a directory. Seven cells come out: "blogs.write" (finished
/// blogs), "blogs.read" (blogs read through) with no bytes, then articles, pictures and comments, read and written; the
/// series of each has a sample for each interval, whose `operations` are what the original prints.
[[nodiscard]] Result<void> run_blog(const System& system, const JobSpec& job, const Target& target, JobControl& control,
                                    Reporter& reporter);

} // namespace mediarig::workload

// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs a list of cells over one test file or over the head of a raw device.
#pragma once

#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/workload/io/engine.hpp"
#include "host/workload/io/io_errors.hpp"
#include "host/workload/io/job_control.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/jobs/job_checks.hpp"
#include "host/workload/payload/payload.hpp"

namespace mediarig::workload {

/// As run_job, for a job with a sweep; cells go into `reporter`.
[[nodiscard]] Result<void> run_sweep(const System& system, const JobSpec& job, const Target& target,
                                     const std::vector<DoneCell>& already_done, JobControl& control,
                                     Reporter& reporter);

/// Filling the span before it is measured: every byte written once, in order, the same way on each file system. Space
/// that was only reserved would be read back without touching the medium.

/// Writes the first `span` bytes of `file` in transfers of 1 MiB. Falls back from O_DIRECT where the driver accepts the
/// flag but not the transfer. False when errors said stop or the control says cancel; fails with io_failed on lack of
/// memory, and as the permit does.
[[nodiscard]] Result<bool> lay_out(MediumFile& file, Bytes span, const PayloadSource& payload, IoErrors& errors,
                                   JobControl& control);

/// Requests one at a time with idle time between them: what a medium answers that was left alone for a moment.

/// As IoEngine::run, on `file`. The clock runs during requests only, so that the cell's rate is that of its requests; a
/// request takes its `run.queue_depth` of 1. Before a reading one its place is dropped from the page cache, unless the
/// file is opened with another policy than `dropped`; a writing one ends with its flush where `sync` is at_end. The
/// warm-up is not counted, not even in `run.operations`.
[[nodiscard]] Result<CellEnd> run_paced(MediumFile& file, SyncLevel sync, const Pace& pace, const CellRun& run,
                                        CellParts parts);

} // namespace mediarig::workload

// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs a list of cells on one test file or on the start of a raw device.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/workload/io/cell_run.hpp"
#include "host/workload/io/io_errors.hpp"
#include "host/workload/io/job_control.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/jobs/job_checks.hpp"
#include "host/workload/payload/payload.hpp"

namespace mediarig::workload {

/// Like run_job, for a job with a sweep; cells are delivered to `reporter`.
[[nodiscard]] Result<void> run_sweep(const System& system, const JobSpec& job, const JobTarget& target,
                                     const std::vector<PreviousCell>& already_done, JobControl& control,
                                     Reporter& reporter);

/// Writes the first `span` bytes of `file` in transfers of 1 MiB before the span is measured: every byte once, in
/// order, in the same way on each file system. Space that was only reserved would be read back without access to the
/// medium. Falls back from O_DIRECT if the driver accepts the flag but not the transfer. Returns false if the error
/// policy stops the job or on cancel. Fails with io_failed on lack of memory, and with the error of the permit. Calls
/// `on_written` after each transfer, if it is set. On a raw device, the bytes begin at `from`.
[[nodiscard]] Result<bool> lay_out(MediumFile& file, Bytes span, const PayloadSource& payload, IoErrors& errors,
                                   JobControl& control, const std::function<void(Bytes written)>& on_written = {},
                                   Bytes from = {});

/// Runs single requests with idle time between them, to measure the response of a medium after a short idle period.
/// Like System::run_cell, on `file`. The clock runs only during requests, so the rate of the cell is that of its
/// requests; `run.cell.queue_depth` must be 1. Before a read, its place is dropped from the page cache, unless the file
/// has another policy than `dropped`. A write ends with its flush if `sync` is at_end. Warm-up requests are not
/// counted, not even in `run.operations`.
[[nodiscard]] Result<CellRunEnd> run_paced(MediumFile& file, SyncLevel sync, const Pace& pace, const CellRun& run);

} // namespace mediarig::workload

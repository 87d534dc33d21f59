// SPDX-License-Identifier: GPL-3.0-or-later
/// Requests one at a time with idle time between them: what a medium answers that was left alone for a moment.
#pragma once

#include "host/workload/engine.hpp"
#include "host/workload/medium_file.hpp"

namespace mediarig::workload {

/// As IoEngine::run, on `file`. The clock runs during requests only, so that the cell's rate is that of its requests; a
/// request takes its `run.queue_depth` of 1. Before a reading one its place is dropped from the page cache, unless the
/// file is opened with another policy than `dropped`; a writing one ends with its flush where `sync` is at_end. The
/// warm-up is not counted, not even in `run.operations`.
[[nodiscard]] Result<CellEnd> run_paced(MediumFile& file, SyncLevel sync, const Pace& pace, const CellRun& run,
                                        CellParts parts);

} // namespace mediarig::workload

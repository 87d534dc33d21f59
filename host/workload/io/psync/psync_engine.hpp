// SPDX-License-Identifier: GPL-3.0-or-later
/// Engine on pread and pwrite, one transfer at a time.
#pragma once

#include "host/workload/io/cell_run.hpp"

namespace mediarig::workload {

/// See System::run_cell.
[[nodiscard]] Result<CellRunEnd> run_psync(const CellRun& run);

} // namespace mediarig::workload

// SPDX-License-Identifier: GPL-3.0-or-later
/// io_uring with a registered file and registered buffers, at any queue depth.
#pragma once

#include "host/workload/io/cell_run.hpp"

namespace mediarig::workload {

/// Fails with no_permission if the kernel forbids io_uring, with bad_request if the kernel lacks io_uring. The error
/// recommends psync.
[[nodiscard]] Result<void> check_uring();

/// See System::run_cell.
[[nodiscard]] Result<CellRunEnd> run_uring(const CellRun& run);

} // namespace mediarig::workload

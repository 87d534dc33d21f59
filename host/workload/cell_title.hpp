// SPDX-License-Identifier: GPL-3.0-or-later
/// What people read for a cell and for what a job is at. Pure.
#pragma once

#include <string>
#include <string_view>

#include "host/workload/spec.hpp"

namespace mediarig::workload {

/// "random write 4 KB" for "standard.random_write.4096", "reading back" for verify_read_id, "create pieces" for
/// "create_pieces". An id that is not made of the cell's table, access and block is told as it is.
[[nodiscard]] std::string cell_title(const CellSpec& cell);
/// Of JobObserver::on_phase: the title of the job's cell that it names, "round 3, rw65 4 KB", "layout".
[[nodiscard]] std::string phase_title(const JobSpec& job, std::string_view phase);

} // namespace mediarig::workload

// SPDX-License-Identifier: GPL-3.0-or-later
/// The displayed names of the workload values. Pure.
#pragma once

#include <string>
#include <string_view>

#include "host/workload/outcome.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

[[nodiscard]] std::string_view title_of(Access access); ///< "sequential read", "sequential write", "random read", …
/// Returns e.g. "4 KB", "2 MB" (2^20, as in the names of published tables), "512 B".
[[nodiscard]] std::string block_title(Bytes block);

/// Title of a cell for the user, e.g. "random write 4 KB" for "standard.random_write.4096", "reading back" for
/// verify_read_id, "create pieces" for "create_pieces". An id that is not composed of the cell's table, access and
/// block is returned unchanged. Pure.
[[nodiscard]] std::string cell_title(const CellSpec& cell);
/// Title of a phase of JobObserver::on_phase: the title of the job's cell with that name, e.g. "round 3, rw65 4 KB", or
/// the activity, e.g. "preparing", "flushing".
[[nodiscard]] std::string phase_title(const JobSpec& job, std::string_view phase);

/// The load of a busy host in words: "processes waited for a processor for 20 % of the time". Empty if the host was not
/// busy. Waits for I/O are omitted, because the test itself causes them.
[[nodiscard]] std::string busy_title(const HostLoad& load);

} // namespace mediarig::workload

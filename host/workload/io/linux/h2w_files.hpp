// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads the files of H2testw or f3 in a folder, with the rights of this process.
#pragma once

#include <filesystem>
#include <functional>

#include "host/base/result.hpp"
#include "host/workload/payload/h2w.hpp"

namespace mediarig::workload {

/// `progress` receives the number of read bytes after each MiB; false ends the reading with cancelled. Fails with
/// bad_request (no such file in the folder), no_permission and io_failed.
[[nodiscard]] Result<H2wReport> read_h2w_files(const std::filesystem::path& folder,
                                               const std::function<bool(Bytes)>& progress);

} // namespace mediarig::workload

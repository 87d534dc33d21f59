// SPDX-License-Identifier: GPL-3.0-or-later
/// Whether what a job is going to write fits, asked before anything is written.
#pragma once

#include "host/workload/reporter.hpp"
#include "host/workload/work_folder.hpp"

namespace mediarig::workload {

/// Fails with bad_request, naming what is needed and what is there; then `reporter` is told that the medium is full.
/// `largest`: the largest single file; `path`: of the target, for messages.
[[nodiscard]] Result<void> check_room(const WorkFolder& folder, Bytes needed, Bytes largest, const std::string& path,
                                      Reporter& reporter);
/// The same for the files and folders of a job that makes many; file systems of the ext family have a fixed number.
[[nodiscard]] Result<void> check_entries(const WorkFolder& folder, std::uint64_t needed, const std::string& path,
                                         Reporter& reporter);
/// The same for a raw device.
[[nodiscard]] Result<void> check_device(const MediumFile& device, Bytes needed, const std::string& path);

} // namespace mediarig::workload

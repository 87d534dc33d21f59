// SPDX-License-Identifier: GPL-3.0-or-later
/// A temporary folder of a build in the cache. It is renamed to become the result, or removed with its contents.
#pragma once

#include <filesystem>

#include "host/base/result.hpp"
#include "host/base/temporary_folder.hpp"

namespace mediarig::lab {

/// Fails with no_permission and io_failed.
[[nodiscard]] Result<TemporaryFolder> make_work_folder(const std::filesystem::path& cache);

/// Renames a finished file or folder on the same file system to its final name, after its data is on the disk. Replaces
/// an existing one. Fails with io_failed.
[[nodiscard]] Result<void> publish(const std::filesystem::path& finished, const std::filesystem::path& place);

/// Removes the work of killed builds. The caller holds the cache's lock.
void remove_left_work(const std::filesystem::path& cache);
/// Removes all folders in a folder except the newest.
void keep_newest(const std::filesystem::path& folder, std::size_t count);

} // namespace mediarig::lab

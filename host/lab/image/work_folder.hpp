// SPDX-License-Identifier: GPL-3.0-or-later
/// A folder in the cache that a build works in. It becomes the result by one rename, or goes with all that is in it.
#pragma once

#include <filesystem>

#include "host/base/result.hpp"
#include "host/base/temporary_folder.hpp"

namespace mediarig::lab {

/// Fails with no_permission and io_failed.
[[nodiscard]] Result<TemporaryFolder> make_work_folder(const std::filesystem::path& cache);

/// Makes a finished file or folder, on the same file system, appear under its name at once, in the place of what was
/// there, after its data are on the disk. Fails with io_failed.
[[nodiscard]] Result<void> publish(const std::filesystem::path& finished, const std::filesystem::path& place);

/// Removes what killed builds left. The caller holds the cache's lock.
void remove_left_work(const std::filesystem::path& cache);
/// Removes all but the newest folders in a folder.
void keep_newest(const std::filesystem::path& folder, std::size_t count);

} // namespace mediarig::lab

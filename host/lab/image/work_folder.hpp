// SPDX-License-Identifier: GPL-3.0-or-later
/// Manages the temporary folder of a build in the cache. The folder is renamed to become the result, or removed with
/// its contents.
#pragma once

#include <filesystem>

#include "host/base/result.hpp"
#include "host/base/temporary_folder.hpp"

namespace mediarig::lab {

/// Fails with no_permission and io_failed.
[[nodiscard]] Result<TemporaryFolder> make_work_folder(const std::filesystem::path& cache);

/// Makes the cache's folder, or checks that only a cache's entries are in it. Fails with refused, no_permission and
/// io_failed.
[[nodiscard]] Result<void> claim_cache(const std::filesystem::path& cache);

/// Gives a finished file or folder its name atomically, after its data are on the disk. Both are on one file system. A
/// folder is marked, and replaces only a marked one. Fails with refused and io_failed.
[[nodiscard]] Result<void> publish(const std::filesystem::path& finished, const std::filesystem::path& place);

/// Removes the marked folders of killed builds. The caller holds the cache's lock.
void remove_stale_work(const std::filesystem::path& cache);
/// Removes all marked folders in `folder` except the newest `count`.
void keep_newest(const std::filesystem::path& folder, std::size_t count);

} // namespace mediarig::lab

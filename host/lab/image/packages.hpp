// SPDX-License-Identifier: GPL-3.0-or-later
/// The packages in the cache.
#pragma once

#include <filesystem>
#include <optional>

#include "host/base/result.hpp"
#include "host/lab/image/image_options.hpp"
#include "host/lab/image/selection.hpp"

namespace mediarig::lab {

/// Returns the last selection whose packages were all fetched; nothing if absent.
[[nodiscard]] std::optional<Selection> saved_selection(const ImageOptions& options);

/// Returns a selection whose packages are all in the cache: the saved one, or the current offer of the archives if
/// `options.versions` requires that or a package is missing. Without the network the saved selection is used, which
/// `progress` reports. Packages that only apfs needs may be missing from the result.
[[nodiscard]] Result<Selection> fetch_packages(const ImageOptions& options, const Progress& progress);

/// Fetches the source of the kernel if the selection has it and the cache does not. Fails like fetch_packages().
[[nodiscard]] Result<void> fetch_kernel_source(const ImageOptions& options, const Selection& selection,
                                               const Progress& progress);

/// Unpacks the files of a package into a folder. Removes a damaged package from the cache, so that the next build
/// fetches it again. Fails with no_driver (no dpkg-deb) and io_failed.
[[nodiscard]] Result<void> unpack(const ImageOptions& options, const Package& package,
                                  const std::filesystem::path& into);

/// Fails with io_failed if the free space of the cache's file system is below `options.free_space_needed`.
[[nodiscard]] Result<void> check_free_space(const ImageOptions& options);

} // namespace mediarig::lab

// SPDX-License-Identifier: GPL-3.0-or-later
/// The packages in the cache.
#pragma once

#include <filesystem>
#include <optional>

#include "host/base/result.hpp"
#include "host/lab/image/guest_image.hpp"
#include "host/lab/image/selection.hpp"

namespace mediarig::lab {

/// The selection whose packages were all fetched; nothing where there is none.
[[nodiscard]] std::optional<Selection> saved_selection(const ImageOptions& options);

/// A selection with every package of it in the cache: the saved one, or what the archives offer now where
/// `options.versions` asks for that or something is missing. Without the network the saved one serves, which
/// `progress` tells. Packages that only apfs needs may be missing from the result.
[[nodiscard]] Result<Selection> fetch_packages(const ImageOptions& options, const Progress& progress);

/// Unpacks the files of a package into a folder. A package that is broken is removed from the cache, so that the next
/// build fetches it again. Fails with no_driver (no dpkg-deb) and io_failed.
[[nodiscard]] Result<void> unpack(const ImageOptions& options, const Package& package,
                                  const std::filesystem::path& into);

/// Fails with io_failed where the cache's file system has less free than `options.room_needed`.
[[nodiscard]] Result<void> check_room(const ImageOptions& options);

} // namespace mediarig::lab

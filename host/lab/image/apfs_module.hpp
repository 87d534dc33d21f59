// SPDX-License-Identifier: GPL-3.0-or-later
/// Builds the apfs kernel module from its source package, without root privileges and without dkms.
#pragma once

#include <filesystem>
#include <string>

#include "host/base/result.hpp"
#include "host/lab/image/image_options.hpp"
#include "host/lab/image/selection.hpp"

namespace mediarig::lab {

struct ApfsModule {
    std::filesystem::path file; ///< apfs.ko, stripped, in the cache
    std::string compiler;       ///< "gcc-12 (Debian 12.2.0-14) 12.2.0"
};

/// Returns the folder of the sources in the unpacked package. Fails with bad_format.
[[nodiscard]] Result<std::filesystem::path> apfs_source(const std::filesystem::path& unpacked);

/// Returns the module from the cache if it was built for this kernel and version before. Fails with no_driver (the
/// selection has no apfs, or gcc-12, make or strip is missing), io_failed (the build failed), timed_out, cancelled:
/// after all but the last, the guest is built without apfs.
[[nodiscard]] Result<ApfsModule> apfs_module(const ImageOptions& options, const Selection& selection,
                                             const Progress& progress);

} // namespace mediarig::lab

// SPDX-License-Identifier: GPL-3.0-or-later
/// Builds the kernel of user-mode Linux with the drivers of the tested file systems, from Debian packages, without root
/// privileges.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "host/base/result.hpp"
#include "host/lab/image/image_options.hpp"
#include "host/lab/image/selection.hpp"

namespace mediarig::lab {

struct UmlKernel {
    std::filesystem::path file; ///< a program, stripped, in the cache
    std::string key;            ///< "6.1.192-2_apfs-0.3.22-1_0123456789abcdef"
    std::string compiler;       ///< first line of its version
};

/// Returns the kernel in the cache for these versions; nothing if it was not built.
[[nodiscard]] std::optional<UmlKernel> standing_uml_kernel(const ImageOptions& options, const Selection& selection);

/// Returns the kernel from the cache if it was built for these versions. Otherwise a build takes about four minutes of
/// processor time and 1.5 GB, which are free again afterwards. Fails with no_driver (a tool or a package is missing),
/// io_failed (too little space, or the build failed), bad_format (the sources have another form), timed_out, cancelled.
[[nodiscard]] Result<UmlKernel> uml_kernel(const ImageOptions& options, const Selection& selection,
                                           const Progress& progress);

} // namespace mediarig::lab

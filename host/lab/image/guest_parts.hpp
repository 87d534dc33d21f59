// SPDX-License-Identifier: GPL-3.0-or-later
/// All of an image but the agent: the kernel and the files of the root folder. An image for a new agent is made from
/// these in a second.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "host/base/result.hpp"
#include "host/lab/image/apfs_module.hpp"
#include "host/lab/image/guest_image.hpp"

namespace mediarig::lab {

struct GuestParts {
    std::filesystem::path kernel; ///< vmlinux
    std::filesystem::path root;   ///< the files, at their places
    std::vector<KernelModule> modules;
};

/// From the cache where they were made before. `apfs` is nullptr for a guest without apfs.
/// Fails with no_driver (a tool is missing), io_failed, bad_format (a package holds something else than expected).
[[nodiscard]] Result<GuestParts> guest_parts(const ImageOptions& options, const Selection& selection,
                                             const ApfsModule* apfs, const Progress& progress);

} // namespace mediarig::lab

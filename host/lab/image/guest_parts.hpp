// SPDX-License-Identifier: GPL-3.0-or-later
/// Everything in an image except the agent: the kernel and the files of the root folder. An image for a new agent is
/// made from these parts in a second.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "host/base/result.hpp"
#include "host/lab/image/apfs_module.hpp"
#include "host/lab/image/image_options.hpp"
#include "host/lab/image/manifest.hpp"

namespace mediarig::lab {

struct GuestParts {
    std::filesystem::path kernel; ///< vmlinux
    std::filesystem::path root;   ///< root folder of the guest
    std::vector<KernelModule> modules;
};

/// Returns the parts from the cache if they were made before. `apfs` is nullptr for a guest without apfs. Fails with
/// no_driver (a tool is missing), io_failed, bad_format (unexpected contents of a package).
[[nodiscard]] Result<GuestParts> guest_parts(const ImageOptions& options, const Selection& selection,
                                             const ApfsModule* apfs, const Progress& progress);

} // namespace mediarig::lab

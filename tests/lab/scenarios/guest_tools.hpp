// SPDX-License-Identifier: GPL-3.0-or-later
/// Modules and tools that only the scenarios need in the guest: device-mapper, MD, LUKS, LVM, btrfs and ext4. They are
/// a separate archive, which the kernel unpacks after that of the guest's image: the users' image contains none of
/// them.
#pragma once

#include <filesystem>
#include <string>

#include "host/base/result.hpp"
#include "host/lab/image/guest_image.hpp"

namespace mediarig::lab {

/// Folder of the modules in the archive, with the list of their load order.
inline constexpr const char* tool_modules_folder = "/lib/modules/scenarios";

/// Returns the archive for an image in this cache, `scenarios/KEY/tools.cpio`. If it is missing, makes it with packages
/// that are downloaded as for the image. Fails as build_guest_image() does.
[[nodiscard]] Result<std::filesystem::path> guest_tools(const ImageOptions& options, const GuestImage& image);

/// Writes the image's archive and that of the tools, one after the other, to `file`. Fails with io_failed.
[[nodiscard]] Result<void> join_archives(const GuestImage& image, const std::filesystem::path& tools,
                                         const std::filesystem::path& file);

} // namespace mediarig::lab

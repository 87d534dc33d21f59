// SPDX-License-Identifier: GPL-3.0-or-later
/// What the scenarios need in the guest and nobody else does: modules and tools of device-mapper, MD, LUKS, LVM, btrfs
/// and ext4. They are an archive of their own, which the kernel unpacks behind that of the guest's image: the image
/// that people build holds none of it.
#pragma once

#include <filesystem>
#include <string>

#include "host/base/result.hpp"
#include "host/lab/image/guest_image.hpp"

namespace mediarig::lab {

/// Where the archive puts the modules, and in it the list in which order they are loaded.
inline constexpr const char* tool_modules_folder = "/lib/modules/scenarios";

/// The archive for an image that stands in this cache, from `scenarios/KEY/tools.cpio` there, made where it is missing:
/// then packages are fetched as for the image. Fails as build_guest_image() does.
[[nodiscard]] Result<std::filesystem::path> guest_tools(const ImageOptions& options, const GuestImage& image);

/// Writes the image's archive and that of the tools, one after the other, to `file`. Fails with io_failed.
[[nodiscard]] Result<void> join_archives(const GuestImage& image, const std::filesystem::path& tools,
                                         const std::filesystem::path& file);

} // namespace mediarig::lab

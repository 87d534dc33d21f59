// SPDX-License-Identifier: GPL-3.0-or-later
/// Builds the guest for virtual time: the kernel of user-mode Linux, and the user land of QEMU's guest with the card
/// models. Further contents of the cache: `uml/` (kernels), `virtual/KEY/` (linux, initrd.img, manifest.json).
#pragma once

#include <filesystem>
#include <string>

#include "host/base/result.hpp"
#include "host/lab/image/image_options.hpp"

namespace mediarig::lab {

/// A complete image; its files do not change any more.
struct VirtualImage {
    std::filesystem::path folder;
    std::filesystem::path kernel; ///< the program of user-mode Linux
    std::filesystem::path initrd; ///< an uncompressed newc archive
    std::string key;
    bool apfs{};
};

/// Fast if the image exists. The user land is that of build_guest_image(), which must have succeeded before. Locks the
/// cache like that function, keeps the newest four images, and fails in the same way; an error of the kernel's build
/// names the machine that needs no build.
[[nodiscard]] Result<VirtualImage> build_virtual_image(const ImageOptions& options, const Progress& progress);

/// Returns the existing image for these versions and programs. Writes nothing. Fails with no_driver (not built yet: the
/// detail gives the command) and io_failed.
[[nodiscard]] Result<VirtualImage> find_virtual_image(const ImageOptions& options);

/// First process of the guest.
[[nodiscard]] std::string_view virtual_init_script();

} // namespace mediarig::lab

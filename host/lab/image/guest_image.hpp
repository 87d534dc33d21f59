// SPDX-License-Identifier: GPL-3.0-or-later
/// Builds the virtual machine's kernel and root folder from Debian packages, in the user's cache, without root
/// privileges and without a change to the system's package sources.
///
/// Contents of the cache: `apt/` (lists of other suites), `packages/` (downloads and selection.json), `modules/` (built
/// apfs modules), `parts/KEY/` (everything except the agent), `images/KEY/` (vmlinux, initrd.img, manifest.json),
/// `lock`.
#pragma once

#include <filesystem>
#include <string>

#include "host/base/result.hpp"
#include "host/lab/image/image_options.hpp"
#include "host/lab/image/manifest.hpp"

namespace mediarig::lab {

/// A complete image; its files do not change any more.
struct GuestImage {
    std::filesystem::path folder;
    std::filesystem::path kernel; ///< an uncompressed ELF kernel, for a direct start through PVH
    std::filesystem::path initrd; ///< an uncompressed newc archive
    std::string key;
    bool apfs{}; ///< the image has apfs; if not, manifest.apfs.absent_because gives the reason
    Manifest manifest;
};

/// Returns at once if the image exists. A build runs in a temporary folder that is renamed when complete. The second of
/// two concurrent builds waits for the first (`lock_wait`) and uses its image. Keeps the newest four images. Without a
/// compiler, headers or the apfs packages, the image is built without apfs, which `progress` and the manifest report.
/// Fails with no_driver (a tool, a package, the agent or the network is missing), io_failed (too little space, a failed
/// download, the file system), bad_format (unexpected contents of a package), timed_out (another build does not end),
/// cancelled.
[[nodiscard]] Result<GuestImage> build_guest_image(const ImageOptions& options, const Progress& progress);

/// Returns the existing image for these versions and this agent; prefers an image with apfs. Writes nothing. Fails with
/// no_driver (not built yet: the detail gives the command) and io_failed.
[[nodiscard]] Result<GuestImage> find_guest_image(const ImageOptions& options);

} // namespace mediarig::lab

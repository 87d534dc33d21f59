// SPDX-License-Identifier: GPL-3.0-or-later
/// Builds the virtual machine's kernel and root folder from Debian packages, in the user's cache, without root
/// privileges and without a change to the system's package sources.
///
/// Contents of the cache: `apt/` (lists of other suites), `packages/` (downloads and selection.json), `modules/` (built
/// apfs modules), `parts/KEY/` (everything except the agent), `images/KEY/` (vmlinux, initrd.img, manifest.json),
/// `lock`.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/lab/image/manifest.hpp"

namespace mediarig::lab {

/// A complete image; its files do not change any more.
struct GuestImage {
    std::filesystem::path folder;
    std::filesystem::path kernel; ///< an uncompressed ELF kernel, for a direct start through PVH
    std::filesystem::path initrd; ///< an uncompressed newc archive
    std::string key;
    bool apfs{}; ///< if false, manifest.apfs.absent_because gives the reason
    Manifest manifest;
};

/// Selection of versions: the versions of the last build need no network, the newest ones do.
enum class Versions { as_found_before, newest };

struct ImageOptions {
    std::filesystem::path cache; ///< absolute; created if missing
    std::filesystem::path agent; ///< a static mediarig-agent
    Versions versions{Versions::as_found_before};
    std::string mirror{};      ///< Debian mirror; empty: the mirror of this machine
    std::string search_path{}; ///< for the tools; empty: the system's folders
    std::filesystem::path keyrings{"/usr/share/keyrings"};
    Bytes room_needed{1'000'000'000}; ///< free space required before packages are fetched and unpacked
    std::chrono::milliseconds lock_wait{std::chrono::minutes(20)};
    const std::atomic<bool>* cancel{};
};

/// $XDG_CACHE_HOME/mediarig/lab, else ~/.cache/mediarig/lab; mediarig-agent-static next to the running program; the
/// mirror in $MEDIARIG_DEBIAN_MIRROR.
[[nodiscard]] ImageOptions default_image_options();

using Progress = std::function<void(std::string_view line)>;

/// Fast if the image exists. A build runs in a temporary folder that is renamed when complete. The second of two
/// concurrent builds waits for the first (`lock_wait`) and uses its image. Keeps the newest four images. Without a
/// compiler, headers or the apfs packages, the image is built without apfs, which `progress` and the manifest report.
/// Fails with no_driver (a tool, a package, the agent or the network is missing), io_failed (too little space, a failed
/// download, the file system), bad_format (unexpected contents of a package), timed_out (another build does not end),
/// cancelled.
[[nodiscard]] Result<GuestImage> build_guest_image(const ImageOptions& options, const Progress& progress);

/// Returns the existing image for these versions and this agent; prefers an image with apfs. Writes nothing. Fails with
/// no_driver (not built yet: the detail gives the command) and io_failed.
[[nodiscard]] Result<GuestImage> find_guest_image(const ImageOptions& options);

} // namespace mediarig::lab

// SPDX-License-Identifier: GPL-3.0-or-later
/// The virtual machine's kernel and root folder: from packages of Debian, in the user's cache, without privilege and
/// without a change to the system's package sources.
///
/// In the cache: `apt/` (lists of other suites), `packages/` (what was downloaded, and selection.json), `modules/`
/// (built apfs modules), `parts/KEY/` (all but the agent), `images/KEY/` (vmlinux, initrd.img, manifest.json), `lock`.
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

/// A whole image; its files are complete and are not changed any more.
struct GuestImage {
    std::filesystem::path folder;
    std::filesystem::path kernel; ///< an uncompressed ELF kernel, for a direct start through PVH
    std::filesystem::path initrd; ///< an uncompressed newc archive
    std::string key;
    bool apfs{}; ///< false: manifest.apfs.absent_because says why
    Manifest manifest;
};

/// Which versions: those found last time need no network; looking again does.
enum class Versions { as_found_before, newest };

struct ImageOptions {
    std::filesystem::path cache; ///< absolute; made where missing
    std::filesystem::path agent; ///< a static mediarig-agent
    Versions versions{Versions::as_found_before};
    std::string mirror{};      ///< of Debian; empty: the one that this machine uses
    std::string search_path{}; ///< of the tools; empty: the system's folders
    std::filesystem::path keyrings{"/usr/share/keyrings"};
    Bytes room_needed{1'000'000'000}; ///< free space asked for before packages are fetched and unpacked
    std::chrono::milliseconds lock_wait{std::chrono::minutes(20)};
    const std::atomic<bool>* cancel{};
};

/// $XDG_CACHE_HOME/mediarig/lab, else ~/.cache/mediarig/lab; mediarig-agent-static beside the running program; the
/// mirror that $MEDIARIG_DEBIAN_MIRROR names.
[[nodiscard]] ImageOptions default_image_options();

using Progress = std::function<void(std::string_view line)>;

/// Quick when the image stands already. A build is done in a folder of its own and renamed when it is whole; of two at
/// once the second waits for the first (`lock_wait`) and takes its image. The newest four images are kept.
/// Without a compiler, headers or the apfs packages the image is without apfs, which `progress` and the manifest tell.
/// Fails with no_driver (a tool, a package, the agent or the network is missing), io_failed (too little room, a broken
/// download, the file system), bad_format (a package holds something else than expected), timed_out (another build does
/// not end), cancelled.
[[nodiscard]] Result<GuestImage> build_guest_image(const ImageOptions& options, const Progress& progress);

/// The image that these versions and this agent make, if it stands; one with apfs before one without. Writes nothing.
/// Fails with no_driver (not built yet: the detail says how) and io_failed.
[[nodiscard]] Result<GuestImage> find_guest_image(const ImageOptions& options);

} // namespace mediarig::lab

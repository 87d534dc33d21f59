// SPDX-License-Identifier: GPL-3.0-or-later
/// Mounting on Linux. The kernel's driver where there is one, else FUSE. Volumes appear below a folder of this
/// process's own; a FUSE driver runs in a mount namespace of its own, so that a volume lives exactly as long as this
/// process's namespace shows it (docs/development/decisions/media.md).
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "host/base/process/run_process.hpp"
#include "host/base/result.hpp"
#include "host/media/mount/mount.hpp"

namespace mediarig::media {

struct MounterSetting {
    std::string run_directory{"/run"}; ///< where the folders with the mount points are made; must exist
    std::string search_path{process::system_search_path};
    std::string kernel_file_systems{"/proc/filesystems"};
    std::string module_directory{"/sys/module"};
    const std::atomic<bool>* cancel{}; ///< ends a driver that is being started; null = cannot be cancelled
};

/// Whether a volume of this kind could be mounted here. The kernel may load its module for the answer, where this
/// process has CAP_SYS_ADMIN. Fails with no_driver, as mount() does.
[[nodiscard]] Result<void> check_driver(FileSystem fs, const MounterSetting& setting = {});

/// Needs CAP_SYS_ADMIN and Linux 5.12. Thread-safe as far as each call has its own medium.
[[nodiscard]] std::unique_ptr<Mounter> make_linux_mounter(MounterSetting setting = {});

} // namespace mediarig::media

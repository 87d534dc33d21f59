// SPDX-License-Identifier: GPL-3.0-or-later
/// Mounts volumes on Linux: with the kernel driver if there is one, otherwise with FUSE. Volumes are mounted in a
/// private folder of this process. A FUSE driver runs in a separate mount namespace, so that a volume exists exactly as
/// long as it is mounted in this process's namespace (docs/development/decisions/media.md).
#pragma once

#include <memory>

#include "host/base/result.hpp"
#include "host/media/mount/linux/mounter_setting.hpp"
#include "host/media/mount/mount.hpp"

namespace mediarig::media {

/// Checks that this machine has a driver for the file system. With CAP_SYS_ADMIN the kernel may load its module. Fails
/// with no_driver, like mount().
[[nodiscard]] Result<void> check_driver(FileSystem fs, const MounterSetting& setting = {});

/// Creates the mounter. Needs CAP_SYS_ADMIN and Linux 5.12. Thread-safe if each call has a different medium.
[[nodiscard]] std::unique_ptr<Mounter> make_linux_mounter(MounterSetting setting = {});

} // namespace mediarig::media

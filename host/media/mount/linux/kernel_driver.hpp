// SPDX-License-Identifier: GPL-3.0-or-later
/// Mounts through a driver of the kernel.
#pragma once

#include <string>

#include "host/media/mount/linux/linux_mounter.hpp"
#include "host/result.hpp"

namespace mediarig::media {

/// Whether the kernel has the driver; loads its module where it can.
[[nodiscard]] bool kernel_has(const std::string& type, const MounterSetting& setting);

/// Mounts the held device nosuid, nodev, noexec, noatime. Fails with no_permission, io_failed.
[[nodiscard]] Result<void> mount_with_kernel(const std::string& type, int device, const std::string& mount_point);

/// Attaches a mount that is attached nowhere (see fuse_driver.hpp) with the same flags. Fails like mount_with_kernel.
[[nodiscard]] Result<void> attach(int tree, const std::string& mount_point);

/// "Linux 6.1.0-28-amd64".
[[nodiscard]] std::string kernel_version();

} // namespace mediarig::media

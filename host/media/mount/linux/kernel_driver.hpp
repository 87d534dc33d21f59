// SPDX-License-Identifier: GPL-3.0-or-later
/// Mounts with a kernel driver.
#pragma once

#include <string>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/mount/linux/mounter_setting.hpp"

namespace mediarig::media {

/// True if the kernel has the driver; loads its module if possible.
[[nodiscard]] bool kernel_has(const std::string& type, const MounterSetting& setting);

/// Mounts the held device with nosuid, nodev, noexec, noatime, and the driver's own `options`. Uses system calls only:
/// needs neither mount(8) nor udev. Fails with no_permission, io_failed.
[[nodiscard]] Result<void> mount_with_kernel(const std::string& type, int device, const std::string& mount_point,
                                             const std::string& options);

/// True if the volume at `start` is HFS+ with a journal; also false if the volume cannot be read.
[[nodiscard]] bool has_hfs_plus_journal(int device, Bytes start);

/// Contents of /sys/module/TYPE/version without the newline; "" if the driver has no version.
[[nodiscard]] std::string module_version(const std::string& type, const MounterSetting& setting);

/// Name and release of the kernel: "Linux 6.1.0-28-amd64".
[[nodiscard]] std::string kernel_version();

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
/// Mounts through a driver of the kernel.
#pragma once

#include <string>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/mount/linux/linux_mounter.hpp"

namespace mediarig::media {

/// Whether the kernel has the driver; loads its module where it can.
[[nodiscard]] bool kernel_has(const std::string& type, const MounterSetting& setting);

/// Mounts the held device nosuid, nodev, noexec, noatime, with the driver's own `options`. By a system call: needs
/// neither mount(8) nor udev. Fails with no_permission, io_failed.
[[nodiscard]] Result<void> mount_with_kernel(const std::string& type, int device, const std::string& mount_point,
                                             const std::string& options);

/// Whether the device holds HFS+ with a journal in the volume at `start`; no where it cannot be read.
[[nodiscard]] bool has_hfs_plus_journal(int device, Bytes start);

/// What /sys/module/TYPE/version says, without its line break; "" for a driver that says nothing.
[[nodiscard]] std::string module_version(const std::string& type, const MounterSetting& setting);

/// "Linux 6.1.0-28-amd64".
[[nodiscard]] std::string kernel_version();

} // namespace mediarig::media

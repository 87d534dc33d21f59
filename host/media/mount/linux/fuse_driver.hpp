// SPDX-License-Identifier: GPL-3.0-or-later
/// A FUSE driver started on a held device, in a mount namespace of its own.
#pragma once

#include <string>
#include <vector>

#include "host/media/format/tool.hpp"
#include "host/media/linux/descriptor.hpp"
#include "host/result.hpp"

namespace mediarig::media {

struct FuseVolume {
    Descriptor tree; ///< the mount, attached nowhere yet; closing it unmounts and the driver ends
    Descriptor life; ///< hangs up (POLLHUP) when the driver has ended
};

/// Starts `driver OPTIONS DEVICE mount_point` and takes its mount away from it. `mount_point` stays free.
/// Fails with no_driver (not installed), no_permission, timed_out, cancelled, io_failed (in the driver's words).
[[nodiscard]] Result<FuseVolume> start_fuse_driver(const Tool& driver, const std::vector<std::string>& options,
                                                   int device, const std::string& mount_point,
                                                   const ToolSetting& setting);

/// Unmounts, and waits (10 s at most) until the driver has let go of the device.
void end_fuse_driver(FuseVolume volume);

} // namespace mediarig::media

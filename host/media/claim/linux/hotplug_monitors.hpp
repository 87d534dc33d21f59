// SPDX-License-Identifier: GPL-3.0-or-later
/// Sources of hotplug events. An event without a node means that events were lost: list the devices again.
#pragma once

#include <memory>

#include "host/base/result.hpp"
#include "host/media/claim/discovery.hpp"

namespace mediarig::media {

/// Events of the kernel; needs no udev. Fails with io_failed, no_permission.
[[nodiscard]] Result<std::unique_ptr<HotplugMonitor>> make_kernel_monitor();
/// Events that udev sends after it has processed a device, so that the properties of the device are complete. Available
/// only if libudev is linked.
[[nodiscard]] Result<std::unique_ptr<HotplugMonitor>> make_udev_monitor();

} // namespace mediarig::media

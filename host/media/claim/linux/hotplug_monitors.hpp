// SPDX-License-Identifier: GPL-3.0-or-later
/// The two sources of plug events. An event without a node says that some were lost: list the devices again.
#pragma once

#include <memory>

#include "host/base/result.hpp"
#include "host/media/claim/discovery.hpp"

namespace mediarig::media {

/// The kernel's own events; needs no udev. Fails with io_failed, no_permission.
[[nodiscard]] Result<std::unique_ptr<HotplugMonitor>> make_kernel_monitor();
/// Events after udev is done with them, so that a device's properties are complete. Only where libudev is linked.
[[nodiscard]] Result<std::unique_ptr<HotplugMonitor>> make_udev_monitor();

} // namespace mediarig::media

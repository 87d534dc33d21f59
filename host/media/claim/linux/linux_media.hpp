// SPDX-License-Identifier: GPL-3.0-or-later
/// Puts this machine's adapters together. Two libraries offer the same functions: mediarig::media_linux with libudev,
/// and mediarig::media_linux_static without, for a static program; see
/// docs/development/decisions/media.md.
#pragma once

#include <memory>

#include "host/base/result.hpp"
#include "host/media/claim/discovery.hpp"
#include "host/media/claim/node.hpp"

namespace mediarig::media {

[[nodiscard]] std::unique_ptr<Discovery> make_linux_discovery();
/// udev's events where udevd runs and libudev is linked, else the kernel's own. Fails with io_failed, no_permission.
[[nodiscard]] Result<std::unique_ptr<HotplugMonitor>> make_hotplug_monitor();
[[nodiscard]] std::unique_ptr<Nodes> make_linux_nodes();

} // namespace mediarig::media

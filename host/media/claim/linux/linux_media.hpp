// SPDX-License-Identifier: GPL-3.0-or-later
/// Creates this machine's adapters. Two libraries provide the same functions: mediarig::media_linux with libudev, and
/// mediarig::media_linux_static without, for a static program; see docs/development/decisions/media.md.
#pragma once

#include <memory>
#include <string>

#include "host/base/result.hpp"
#include "host/media/claim/discovery.hpp"
#include "host/media/claim/node.hpp"

namespace mediarig::media {

/// `identities`: folder of emulated_identity.hpp; empty outside the lab.
[[nodiscard]] std::unique_ptr<Discovery> make_linux_discovery(std::string identities = {});
/// Events of udev if udevd runs and libudev is linked, otherwise events of the kernel. Fails with io_failed,
/// no_permission.
[[nodiscard]] Result<std::unique_ptr<HotplugMonitor>> make_hotplug_monitor();
[[nodiscard]] std::unique_ptr<Nodes> make_linux_nodes();

} // namespace mediarig::media

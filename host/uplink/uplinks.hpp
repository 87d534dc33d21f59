// SPDX-License-Identifier: GPL-3.0-or-later
/// The ways between media and this machine that several media share. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mediarig::uplink {

/// On the way to what stands at this path below /sys/devices: its host controller, and behind it each USB hub, the
/// nearest last. Each is named by the path that leads to it. Empty where no controller is on the path.
[[nodiscard]] std::vector<std::string> uplinks_of(std::string_view sysfs_path);

} // namespace mediarig::uplink

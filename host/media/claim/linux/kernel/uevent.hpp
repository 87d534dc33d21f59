// SPDX-License-Identifier: GPL-3.0-or-later
/// Parser of the kernel's hotplug events. Source: lib/kobject_uevent.c: "action@devpath", then KEY=value, each ended by
/// a NUL. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "host/media/claim/discovery.hpp"

namespace mediarig::media {

/// Event of a whole block device; empty for partitions, other subsystems and messages that are not kernel events.
[[nodiscard]] std::optional<HotplugEvent> parse_uevent(std::string_view message);
/// "add" and "online" mean added, "remove" and "offline" removed, all other kernel actions changed.
[[nodiscard]] HotplugKind hotplug_kind_of(std::string_view action);

} // namespace mediarig::media

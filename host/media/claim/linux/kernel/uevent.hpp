// SPDX-License-Identifier: GPL-3.0-or-later
/// The kernel's own plug events, parsed. Source: lib/kobject_uevent.c: "action@devpath", then KEY=value, each ended by
/// a NUL. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "host/media/claim/discovery.hpp"

namespace mediarig::media {

/// An event of a whole block device; nothing for partitions, other subsystems and what is no kernel event.
[[nodiscard]] std::optional<HotplugEvent> parse_uevent(std::string_view message);
/// "add" and "online" are added, "remove" and "offline" removed, the rest of the kernel's actions changed.
[[nodiscard]] HotplugKind hotplug_kind_of(std::string_view action);

} // namespace mediarig::media

// SPDX-License-Identifier: GPL-3.0-or-later
/// BSD lock on a device node: the convention by which udev, sfdisk --lock and udevadm lock avoid conflicts (systemd,
/// BLOCK_DEVICE_LOCKING).
#pragma once

#include <string>

#include "host/base/result.hpp"
#include "host/media/claim/node.hpp"

namespace mediarig::media {

/// Locks the node open as `descriptor` until it is closed. Waits up to 2 s for programs that probe the device. Fails
/// with refused and names the programs that have it open. Messages call the device `node`.
[[nodiscard]] Result<void> lock_node(int descriptor, const std::string& node);

/// ", perhaps by process 812 (dd)" for messages. The kernel shows programs that have the device open, but neither
/// mounts nor devices above.
[[nodiscard]] std::string possible_holders(int descriptor);

/// The kernel's facts about the block device of a descriptor. `node` is for error messages. Fails with no_medium (the
/// device is gone, or this is not a block device).
[[nodiscard]] Result<NodeFacts> facts_of(int descriptor, const std::string& node);

/// Writes dirty pages of the medium back and drops its cached pages, so that the next read reaches the medium. Fails
/// with io_failed, after trying every step.
[[nodiscard]] Result<void> drop_cached(int descriptor);

} // namespace mediarig::media

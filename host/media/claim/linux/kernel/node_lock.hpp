// SPDX-License-Identifier: GPL-3.0-or-later
/// The BSD lock on a device's node: the convention by which udev, sfdisk --lock and udevadm lock keep out of each
/// other's way (systemd, BLOCK_DEVICE_LOCKING).
#pragma once

#include <string>

#include "host/base/result.hpp"
#include "host/media/claim/node.hpp"

namespace mediarig::media {

/// Locks the node that is open as `descriptor` until that is closed; waits up to two seconds for who looks at the
/// device just now. Fails with refused, naming who has it open. `node` is for the text.
[[nodiscard]] Result<void> lock_node(int descriptor, const std::string& node);

/// ", perhaps by process 812 (dd)" for texts: the kernel shows programs, but neither mounts nor devices above.
[[nodiscard]] std::string perhaps_by(int descriptor);

/// What the kernel says of the block device behind a descriptor.

/// `node` is for error texts. Fails with no_medium (the device went away, or this is no block device).
[[nodiscard]] Result<NodeFacts> facts_of(int descriptor, const std::string& node);

/// Writes back what the kernel holds of the medium and forgets it, so that the next read is answered by the medium.
/// Fails with io_failed, after it has tried all that it can.
[[nodiscard]] Result<void> drop_cached(int descriptor);

} // namespace mediarig::media

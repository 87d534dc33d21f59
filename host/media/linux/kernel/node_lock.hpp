// SPDX-License-Identifier: GPL-3.0-or-later
/// The BSD lock on a device's node: the convention by which udev, sfdisk --lock and udevadm lock keep out of each
/// other's way (systemd, BLOCK_DEVICE_LOCKING).
#pragma once

#include <string>

#include "host/result.hpp"

namespace mediarig::media {

/// Locks the node that is open as `descriptor` until that is closed; waits up to two seconds for who looks at the
/// device just now. Fails with refused, naming who has it open. `node` is for the text.
[[nodiscard]] Result<void> lock_node(int descriptor, const std::string& node);

/// ", perhaps by process 812 (dd)" for texts: the kernel shows programs, but neither mounts nor devices above.
[[nodiscard]] std::string perhaps_by(int descriptor);

} // namespace mediarig::media

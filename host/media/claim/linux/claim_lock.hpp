// SPDX-License-Identifier: GPL-3.0-or-later
/// One claim for one device on this machine, whatever nodes lead to it.
#pragma once

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// A lock on one byte of a file that all agents of this machine share, at a place computed from the device's number and
/// disk sequence: held until the descriptor is closed or the process dies, and then nothing is left of it. It meets
/// claims through other nodes of the same device, whose BSD locks do not meet (they are on the node's inode).
/// No descriptor where this user may not make the file: then the BSD lock stands alone. Fails with refused (another
/// agent has claimed the device; the file is not ours), io_failed.
[[nodiscard]] Result<Descriptor> lock_claim(DeviceNumber number, std::uint64_t disk_sequence,
                                            const std::string& folder = "/run/mediarig");

} // namespace mediarig::media

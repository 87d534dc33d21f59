// SPDX-License-Identifier: GPL-3.0-or-later
/// Allows one claim for each device on this machine, whatever node is used.
#pragma once

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// Locks one byte of a file that all agents of this machine share. The offset is computed from the device number and
/// the disk sequence. The lock ends when the descriptor is closed or the process dies, and leaves no trace. The lock
/// excludes claims through other nodes of the same device; a BSD lock does not, because it belongs to the inode of one
/// node. Returns an empty descriptor if this user may not create the file; then only the BSD lock protects the device.
/// Fails with refused (another agent has claimed the device; the file has another owner), io_failed.
[[nodiscard]] Result<Descriptor> lock_claim(DeviceNumber number, std::uint64_t disk_sequence,
                                            const std::string& folder = "/run/mediarig");

} // namespace mediarig::media
